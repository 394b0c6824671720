import { sql } from 'kysely';
import { visible } from '../kit/index-terms.ts';
import type { OwnerUsage } from '@throughline/ports';
import type { RawBuilder } from 'kysely';
import type { SessionTransaction, SessionTransactions, Surroundings } from '../kit/session-transactions.ts';
import type { Tx } from '../kit/schema.ts';

const hourMs = 3_600_000;
/** Longer than any limit looks back. */
const keptHours = 48;

const hourOf = (ms: number): number => Math.floor(ms / hourMs);

export function ownerUsageOf(transactions: SessionTransactions): OwnerUsage {
  const { database, around } = transactions;
  return {
    sessions: (owner) =>
      database.look(async (tables) => {
        const { count, busy } = await tables
          .selectFrom('sessions')
          .select(({ fn }) => [
            fn.countAll<number>().as('count'),
            sql<number>`count(case when ${isWorkedOn(around)} then 1 end)`.as('busy'),
          ])
          .where('owner', '=', owner)
          // The index is of those alone that have a name, and a parameter would not say so.
          .$if(owner !== '', (named) => named.where(sql<boolean>`owner <> ''`))
          .where('is_hidden', '=', visible)
          .executeTakeFirstOrThrow();
        return { count: Number(count), busy: Number(busy) };
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
    add: (owner, tokens) =>
      database.write(
        (tx) => addTokens(tx, { owner, key: ofNoSession, nowMs: around.clock.nowMs() }, tokens),
        {
          lasting: 'while-machine-runs',
          about: `usage of ${owner}`,
        },
      ),
  };
}

function isWorkedOn({ now }: Pick<Surroundings, 'now'>): RawBuilder<boolean> {
  return sql<boolean>`lease_owner is not null and lease_expires_at_ms > ${now()}`;
}

/** Keys of sessions begin at 1. */
const ofNoSession = 0;

/** A row for each session and hour: no two runs wait for each other. */
export async function addUsage(
  { tx, key, row: { owner }, nowMs }: SessionTransaction,
  { tokens }: { readonly tokens: number },
): Promise<void> {
  await addTokens(tx, { owner, key, nowMs }, tokens);
}

interface UsedBy {
  readonly owner: string;
  /** Key of the session. */
  readonly key: number;
  readonly nowMs: number;
}

async function addTokens(tx: Tx, { owner, key, nowMs }: UsedBy, counted: number): Promise<void> {
  // A server may count in halves, or say anything: the step is stored all the same.
  const tokens = Number.isFinite(counted) ? Math.round(counted) : 0;
  const hour = hourOf(nowMs);
  const added = await tx
    .updateTable('owner_usage')
    .set({ tokens: sql`tokens + ${tokens}` })
    .where('owner', '=', owner)
    .where('hour', '=', hour)
    .where('session_key', '=', key)
    .executeTakeFirst();
  if (added.numUpdatedRows > 0n) return;
  await tx
    .insertInto('owner_usage')
    .values({ owner, hour, session_key: key, tokens })
    // Another process was first.
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'hour', 'session_key'])
        .doUpdateSet((stored) => ({ tokens: stored('owner_usage.tokens', '+', tokens) })),
    )
    .execute();
  await tx
    .deleteFrom('owner_usage')
    .where('owner', '=', owner)
    .where('hour', '<', hour - keptHours)
    .execute();
}
