import { sql } from 'kysely';
import { visible } from '../kit/index-terms.ts';
import type { OwnerUsage } from '@throughline/ports';
import type { SessionTransaction, SessionTransactions } from '../kit/session-transactions.ts';

const hourMs = 3_600_000;
/** Longer than any limit looks back. */
const keptHours = 48;

const hourOf = (ms: number): number => Math.floor(ms / hourMs);

export function ownerUsageOf(transactions: SessionTransactions): OwnerUsage {
  const { database, around } = transactions;
  return {
    sessions: (owner) =>
      database.look(async (tables) => {
        const row = await tables
          .selectFrom('sessions')
          .select(({ fn, eb }) => [
            fn.countAll<number>().as('count'),
            fn
              .sum<number | null>(
                eb
                  .case()
                  .when(
                    eb.and([eb('lease_owner', 'is not', null), eb('lease_expires_at_ms', '>', around.now())]),
                  )
                  .then(1)
                  .else(0)
                  .end(),
              )
              .as('busy'),
          ])
          .where('owner', '=', owner)
          // As the index has it.
          .where('owner', '<>', '')
          .where('is_hidden', '=', visible)
          .executeTakeFirstOrThrow();
        return { count: Number(row.count), busy: Number(row.busy ?? 0) };
      }),
    tokens: (owner, sinceMs) =>
      database.look(async (tables) => {
        const rows = await tables
          .selectFrom('owner_usage')
          .select(({ fn }) => ['hour', fn.sum<number>('tokens').as('tokens')])
          .where('owner', '=', owner)
          .where('hour', '>=', hourOf(sinceMs))
          .groupBy('hour')
          .orderBy('hour')
          .execute();
        return rows.map(({ hour, tokens }) => ({ beginsAtMs: hour * hourMs, tokens: Number(tokens) }));
      }),
  };
}

/** A row for each session and hour: no two runs wait for each other. */
export async function addUsage(
  { tx, key, row, nowMs }: SessionTransaction,
  { tokens }: { readonly tokens: number },
): Promise<void> {
  const hour = hourOf(nowMs);
  const { owner } = row;
  const added = await tx
    .updateTable('owner_usage')
    .set({ tokens: sql`tokens + ${tokens}` })
    .where('owner', '=', owner)
    .where('hour', '=', hour)
    .where('session_key', '=', key)
    .executeTakeFirst();
  if (added.numUpdatedRows > 0n) return;
  await tx.insertInto('owner_usage').values({ owner, hour, session_key: key, tokens }).execute();
  await tx
    .deleteFrom('owner_usage')
    .where('owner', '=', owner)
    .where('hour', '<', hour - keptHours)
    .execute();
}
