import { setImmediate as giveWay } from 'node:timers/promises';
import { keysOf } from '../kit/database.ts';
import { alreadyExists } from '../kit/failures.ts';
import { isHeld } from '../kit/leases.ts';
import { visible } from '../kit/index-terms.ts';
import type { NewSession } from '@throughline/ports';
import type { SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions, Surroundings } from '../kit/session-transactions.ts';

/** @throws {ContextError} `already-exists` */
export async function insertSession(
  tx: Tx,
  { clock, ids }: Surroundings,
  { id = ids.nextId('session'), title, owner = '', folder = '', model }: NewSession,
): Promise<SessionRow> {
  const nowMs = clock.nowMs();
  const blank = {
    message_count: 0,
    text_count: 0,
    output_count: 0,
    event_count: 0,
    inbox_count: 0,
    compaction_count: 0,
    state_version: 0,
    lease_epoch: 0,
    cancel_epoch: 0,
    lease_expires_at_ms: 0,
    is_hidden: 0,
  };
  const inserted = await tx
    .insertInto('sessions')
    .values({
      id,
      title: title ?? null,
      owner,
      folder,
      family: id,
      model: model ?? null,
      status: 'idle',
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      ...blank,
    })
    .onConflict((known) => known.column('id').where('is_hidden', '=', visible).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!inserted) throw alreadyExists('session', id);
  return inserted;
}

/** Where an imported session belongs: older exports have no folder. Under another id a session that is no copy begins a family of its own. */
export function placeOf(
  columns: Readonly<Record<string, string | number | null>>,
  id: string,
): { readonly folder: string; readonly family: string } {
  const isCopy = columns['parent_id'] !== null && columns['family'] !== null;
  return { folder: String(columns['folder'] ?? ''), family: isCopy ? String(columns['family']) : id };
}

/** @throws {ContextError} `already-exists` */
export async function requireFree(tx: Tx, id: string): Promise<void> {
  const known = await tx
    .selectFrom('sessions')
    .select('key')
    .where('id', '=', id)
    .where('is_hidden', '=', visible)
    .executeTakeFirst();
  if (known) throw alreadyExists('session', id);
}

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
