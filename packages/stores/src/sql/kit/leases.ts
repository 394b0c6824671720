import { ContextError } from '@throughline/core';
import { rowToChange, rowToChangeIfThere } from './session-transactions.ts';
import type { Lease, Leases } from '@throughline/ports';
import type { Updateable } from 'kysely';
import type { Lasting } from './database.ts';
import type { Schema, SessionRow, Tx } from './schema.ts';
import type { SessionTransactions, Surroundings } from './session-transactions.ts';

/** Who held a lease is gone when the power fails; what was written under it is behind it, and takes it along to the disk. */
const lasting: Lasting = 'while-machine-runs';

export function leasesOf(transactions: SessionTransactions): Leases {
  const { around } = transactions;
  const { clock, presence } = around;
  return {
    acquire: (sessionId, owner, ttlMs) =>
      transactions.database.write(async (tx) => {
        const row = await rowToChange(tx, around, sessionId);
        if (isHeld(row, around)) return undefined;
        const expiresAtMs = clock.nowMs() + ttlMs;
        const lease = { sessionId, owner, epoch: row.lease_epoch + 1, expiresAtMs };
        await store(tx, row, lease, { status: 'running', lease_holder: presence.name });
        return lease;
      }, lasting),
    renew: (lease, ttlMs) =>
      transactions.database.write(async (tx) => {
        const row = await heldRow(tx, around, lease);
        if (!row) return undefined;
        const renewed = { ...lease, expiresAtMs: clock.nowMs() + ttlMs };
        await store(tx, row, renewed);
        return renewed;
      }, lasting),
    // Who is told that a run has ended may begin the next one.
    release: (lease) =>
      transactions.database.writeAtOnce(async (tx) => {
        const row = await heldRow(tx, around, lease);
        if (!row) return false;
        await tx
          .updateTable('sessions')
          .set({ lease_owner: null, lease_expires_at_ms: 0, status: 'idle' })
          .where('key', '=', row.key)
          .execute();
        return true;
      }, lasting),
  };
}

type Held = Pick<SessionRow, 'lease_owner' | 'lease_holder' | 'lease_expires_at_ms'>;

/** Whether somebody has the right to run the session now. One who is certainly dead has none. */
export function isHeld(
  { lease_owner, lease_holder, lease_expires_at_ms }: Held,
  { clock, presence }: Pick<Surroundings, 'clock' | 'presence'>,
): boolean {
  if (lease_owner === null || lease_expires_at_ms <= clock.nowMs()) return false;
  return lease_holder === null || !presence.isDead(lease_holder);
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

function carries(row: SessionRow, lease: Lease): boolean {
  return row.lease_owner !== null && row.lease_epoch === lease.epoch;
}

async function heldRow(
  tx: Tx,
  around: Pick<Surroundings, 'locksRows'>,
  lease: Lease,
): Promise<SessionRow | undefined> {
  const row = await rowToChangeIfThere(tx, around, lease.sessionId);
  return row && carries(row, lease) ? row : undefined;
}

async function store(
  tx: Tx,
  row: SessionRow,
  { owner, epoch, expiresAtMs }: Lease,
  begun: Pick<Updateable<Schema['sessions']>, 'status' | 'lease_holder'> = {},
): Promise<void> {
  const lease_expires_at_ms = Math.round(expiresAtMs);
  await tx
    .updateTable('sessions')
    .set({ lease_owner: owner, lease_epoch: epoch, lease_expires_at_ms, ...begun })
    .where('key', '=', row.key)
    .execute();
}
