import { isHeld } from './leases.ts';
import { keysOf } from './text-index.ts';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Desk } from './desk.ts';
import type { Tx } from './schema.ts';

/** Texts that go in one transaction: short enough that nobody waits for the next one. */
const textsPerSweep = 1_000;

/** Removes what imports and deletions that were cut off have left. */
export async function sweepSessions(desk: Desk): Promise<void> {
  const hidden = await desk.database.read((tx) =>
    tx
      .selectFrom('sessions')
      .select(['key', 'lease_owner', 'lease_holder', 'lease_expires_at_ms'])
      .where('is_hidden', '=', 1)
      .execute(),
  );
  for (const row of hidden) if (!isHeld(row, desk.around)) await sweepSession(desk, row.key);
}

/** Removes a hidden session, a little at a time: others go on meanwhile. */
export async function sweepSession(desk: Desk, key: number): Promise<void> {
  while (await desk.database.write((tx) => sweepTexts(tx, desk, key))) await giveWay();
  await desk.database.write((tx) => tx.deleteFrom('sessions').where('key', '=', key).execute());
}

/** @returns whether there may be more */
async function sweepTexts(tx: Tx, desk: Desk, sessionKey: number): Promise<boolean> {
  const { first, end } = keysOf({ key: sessionKey });
  const next = await tx
    .selectFrom('parts')
    .select('key')
    .where('key', '>=', first)
    .where('key', '<', end)
    .orderBy('key')
    .offset(textsPerSweep)
    .limit(1)
    .executeTakeFirst();
  const to = next?.key ?? end;
  await desk.around.textIndex.removeRange(tx, first, to);
  await tx.deleteFrom('parts').where('key', '>=', first).where('key', '<', to).execute();
  await tx.deleteFrom('outputs').where('key', '>=', first).where('key', '<', to).execute();
  return next !== undefined;
}
