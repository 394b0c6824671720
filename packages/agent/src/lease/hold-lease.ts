import type { Lease, SessionStore, Timer } from '@throughline/ports';

export interface HoldLeaseOptions {
  readonly store: SessionStore;
  readonly timer: Timer;
  readonly sessionId: string;
  readonly owner: string;
  readonly ttlMs: number;
  /** Another run has the session, or the store cannot be asked until the lease is over. */
  readonly onLost: () => void;
}

/** The right to work on one session, kept alive until it is disposed of; then it is given back. */
export interface HeldLease extends AsyncDisposable {
  readonly current: Lease;
}

/** `undefined` while another run holds the session. */
export async function holdLease(options: HoldLeaseOptions): Promise<HeldLease | undefined> {
  const { store, sessionId, owner, ttlMs } = options;
  let lease = await store.leases.acquire(sessionId, owner, ttlMs);
  if (!lease) return undefined;
  const done = new AbortController();
  const renewing = renew(options, {
    signal: done.signal,
    next: async () => {
      const renewed = lease && (await store.leases.renew(lease, ttlMs));
      if (renewed) lease = renewed;
      return renewed !== undefined;
    },
  });
  const first = lease;
  return {
    get current() {
      return lease ?? first;
    },
    async [Symbol.asyncDispose]() {
      done.abort();
      await renewing;
      // A store that fails here has nothing to give back: the lease runs out.
      if (lease) await store.leases.release(lease).catch(() => false);
    },
  };
}

interface Renewal {
  readonly signal: AbortSignal;
  readonly next: () => Promise<boolean>;
}

/** Three times in the life of a lease; a store that fails is asked again while the lease is still good. */
async function renew({ timer, ttlMs, onLost }: HoldLeaseOptions, { signal, next }: Renewal): Promise<void> {
  let failures = 0;
  while ((await timer.wait(ttlMs / 3, signal)) === 'elapsed') {
    try {
      if (!(await next())) return onLost();
      failures = 0;
    } catch {
      failures += 1;
      if (failures >= 2) return onLost();
    }
  }
}
