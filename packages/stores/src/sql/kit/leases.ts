import { ContextError } from '@throughline/core';
import { sql } from 'kysely';
import { visible } from './index-terms.ts';
import { rowToChange } from './session-transactions.ts';
import type { Lease, Leases, LeaseState } from '@throughline/ports';
import type { ExpressionBuilder, RawBuilder } from 'kysely';
import type { Lasting } from './database.ts';
import type { Schema, SessionRow, Tables, Tx } from './schema.ts';
import type { SessionTransactions, Surroundings } from './session-transactions.ts';

/** Who held a lease is gone when the power fails; what was written under it is behind it, and takes it along to the disk. */
const lasting: Lasting = 'while-machine-runs';

export function leasesOf(transactions: SessionTransactions): Leases {
  const { around } = transactions;
  const { presence } = around;
  const write = <Result>(about: string, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    transactions.database.write(work, { lasting, about });
  return {
    acquire: (sessionId, owner, ttlMs) =>
      write(sessionId, async (tx) => {
        const wanted = { sessionId, owner, ttlMs };
        const taken = await take(tx, around, { ...wanted, isKnownFree: false });
        if (taken) return taken;
        const row = await rowToChange(tx, around, sessionId);
        if (row.lease_owner !== null && !isOfDead(row, around)) return undefined;
        return await take(tx, around, { ...wanted, isKnownFree: true });
      }),
    renew: (lease, ttlMs) =>
      write(lease.sessionId, async (tx) => {
        const renewed = await tx
          .updateTable('sessions')
          .set({ lease_expires_at_ms: after(ttlMs, around), lease_holder: presence.name })
          .where(isUnder(lease))
          .returning('lease_expires_at_ms as expiresAtMs')
          .executeTakeFirst();
        return renewed && { ...lease, ...renewed };
      }),
    look: (lease) => transactions.database.look((tables) => stateOf(tables, around, lease)),
    cancel: (sessionId) =>
      transactions.change(sessionId, async (work) => {
        if (!isHeld(work.row, around)) return false;
        work.set({ cancel_epoch: work.row.lease_epoch });
        work.tellNews();
        return true;
      }),
    // Who is told that a run has ended may begin the next one.
    release: (lease) =>
      transactions.database.writeAtOnce(async (tx) => {
        const given = await tx
          .updateTable('sessions')
          .set({ lease_owner: null, lease_expires_at_ms: 0, status: 'idle' })
          .where(isUnder(lease))
          .returning('key')
          .executeTakeFirst();
        return given !== undefined;
      }, lasting),
  };
}

interface Wanted {
  readonly sessionId: string;
  readonly owner: string;
  readonly ttlMs: number;
  /** Whether nobody has it, for certain. It is also free where the lease of somebody else has expired. */
  readonly isKnownFree: boolean;
}

async function take(
  tx: Tx,
  around: Surroundings,
  { sessionId, owner, ttlMs, isKnownFree }: Wanted,
): Promise<Lease | undefined> {
  const taken = await tx
    .updateTable('sessions')
    .set((from) => ({
      lease_owner: owner,
      lease_epoch: from('lease_epoch', '+', 1),
      lease_expires_at_ms: after(ttlMs, around),
      lease_holder: around.presence.name,
      status: 'running',
    }))
    .where('id', '=', sessionId)
    .where('is_hidden', '=', visible)
    .$if(!isKnownFree, (some) =>
      some.where((lease) =>
        lease.or([lease('lease_owner', 'is', null), lease('lease_expires_at_ms', '<=', around.now())]),
      ),
    )
    .returning(['lease_epoch as epoch', 'lease_expires_at_ms as expiresAtMs'])
    .executeTakeFirst();
  return taken && { sessionId, owner, ...taken };
}

/** The session of a lease, as long as nobody else has taken it. */
function isUnder({ sessionId, epoch }: Lease) {
  return (session: ExpressionBuilder<Schema, 'sessions'>) =>
    session.and([
      session('id', '=', sessionId),
      session('is_hidden', '=', visible),
      session('lease_owner', 'is not', null),
      session('lease_epoch', '=', epoch),
    ]);
}

async function stateOf(
  tables: Tables,
  { now }: Pick<Surroundings, 'now'>,
  lease: Lease,
): Promise<LeaseState> {
  const row = await tables
    .selectFrom('sessions')
    .select((from) => [
      'lease_owner',
      'lease_epoch',
      'cancel_epoch',
      from('lease_expires_at_ms', '>', now()).as('is_good'),
    ])
    .where('id', '=', lease.sessionId)
    .where('is_hidden', '=', visible)
    .executeTakeFirst();
  if (!row || !carries(row, lease)) return 'void';
  if (row.cancel_epoch === lease.epoch) return 'cancel';
  return row.is_good ? 'good' : 'expired';
}

/** The end of a lease that begins now, in whole milliseconds. */
function after(ttlMs: number, { now }: Pick<Surroundings, 'now'>): RawBuilder<number> {
  return sql<number>`${now()} + ${sql.lit(Math.round(ttlMs))}`;
}

type Held = Pick<SessionRow, 'lease_owner' | 'lease_holder' | 'lease_expires_at_ms'>;

/** Whether somebody has the right to run the session now. One who is certainly dead has none. */
export function isHeld(
  { lease_owner, lease_holder, lease_expires_at_ms }: Held,
  { clock, presence }: Pick<Surroundings, 'clock' | 'presence'>,
): boolean {
  if (lease_owner === null || lease_expires_at_ms <= clock.nowMs()) return false;
  return !isOfDead({ lease_holder }, { presence });
}

function isOfDead(
  { lease_holder }: Pick<Held, 'lease_holder'>,
  { presence }: Pick<Surroundings, 'presence'>,
): boolean {
  return lease_holder !== null && presence.isDead(lease_holder);
}

/**
 * Refuses what a run wants to store after another has taken its session over. A lease that has only expired is still
 * good: nobody else has written since.
 */
export function requireLease(row: SessionRow, lease: Lease): void {
  if (carries(row, lease)) return;
  throw lost(lease, row.lease_epoch);
}

/** What a write to a deleted session comes to. */
export function asLost(error: unknown, lease: Lease): unknown {
  const isGone = ContextError.is(error, 'not-found') && error.details.kind === 'session';
  return isGone ? lost(lease, null) : error;
}

function lost(lease: Lease, currentEpoch: number | null): ContextError<'lease-lost'> {
  const { sessionId, epoch } = lease;
  const why = currentEpoch === null ? 'it was deleted' : 'another run has taken it over or it was given back';
  const message = `The lease ${epoch} of session ${sessionId} is void: ${why}.`;
  return new ContextError('lease-lost', message, { sessionId, epoch, currentEpoch });
}

function carries(row: Pick<SessionRow, 'lease_owner' | 'lease_epoch'>, lease: Lease): boolean {
  return row.lease_owner !== null && row.lease_epoch === lease.epoch;
}
