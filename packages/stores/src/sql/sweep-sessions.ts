import { isHeld } from './leases.ts';
import { keysOf } from './text-index.ts';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { SessionTransactions } from './session-transactions.ts';
import type { Tx } from './schema.ts';

/** Texts that go in one transaction: short enough that nobody waits for the next one. */
const textsPerSweep = 1_000;

/** Removes what imports and deletions that were cut off have left. */
export async function sweepSessions(transactions: SessionTransactions): Promise<void> {
  const hidden = await transactions.database.read((tx) =>
    tx
      .selectFrom('sessions')
      .select(['key', 'lease_owner', 'lease_holder', 'lease_expires_at_ms'])
      .where('is_hidden', '=', 1)
      .execute(),
  );
  for (const row of hidden) if (!isHeld(row, transactions.around)) await sweepSession(transactions, row.key);
}

/** Removes a hidden session, a little at a time: others go on meanwhile. */
export async function sweepSession(transactions: SessionTransactions, key: number): Promise<void> {
  while (await transactions.database.write((tx) => sweepTexts(tx, transactions, key))) await giveWay();
  await transactions.database.write((tx) => tx.deleteFrom('sessions').where('key', '=', key).execute());
}

/** @returns whether there may be more */
async function sweepTexts(tx: Tx, transactions: SessionTransactions, sessionKey: number): Promise<boolean> {
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
  await transactions.around.textIndex.removeRange(tx, first, to);
  await tx.deleteFrom('parts').where('key', '>=', first).where('key', '<', to).execute();
  await tx.deleteFrom('outputs').where('key', '>=', first).where('key', '<', to).execute();
  return next !== undefined;
}
