import { alreadyExists } from './failures.ts';
import type { NewSession } from '@throughline/ports';
import type { SessionRow, Tx } from './schema.ts';
import type { Surroundings } from './session-transaction.ts';

/** @throws {ContextError} `already-exists` */
export async function insertSession(
  tx: Tx,
  { clock, ids }: Surroundings,
  { id = ids.nextId('session'), title, owner = '', folder = '', model }: NewSession,
): Promise<SessionRow> {
  await requireFree(tx, id);
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
    lease_expires_at_ms: 0,
    is_hidden: 0,
  };
  return tx
    .insertInto('sessions')
    .values({
      id,
      title: title ?? null,
      owner,
      folder,
      model: model ?? null,
      status: 'idle',
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      ...blank,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @throws {ContextError} `already-exists` */
export async function requireFree(tx: Tx, id: string): Promise<void> {
  const known = await tx
    .selectFrom('sessions')
    .select('key')
    .where('id', '=', id)
    .where('is_hidden', '=', 0)
    .executeTakeFirst();
  if (known) throw alreadyExists('session', id);
}
