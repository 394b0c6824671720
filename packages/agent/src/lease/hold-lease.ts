import type { Lease, SessionStore, Timer } from '@throughline/ports';

export interface HoldLeaseOptions {
  readonly store: SessionStore;
  readonly timer: Timer;
  readonly sessionId: string;
  readonly owner: string;
  readonly ttlMs: number;
  /** Another run has the session, or the store cannot be asked until the lease is over. */
  readonly onLost: () => void;
  /** Another process asks to cancel what is done under it. May be called more than once. */
  readonly onCancel: () => void;
}

/** The right to work on one session, kept alive until it is disposed of; then it is given back. */
export interface HeldLease extends AsyncDisposable {
  readonly current: Lease;
  /**
   * Whether the session is still this one's, asked of the store: a process that was suspended does not know. Says what
   * it finds to `onLost` and `onCancel`, too.
   */
  look(): Promise<boolean>;
}

/** `undefined` while another run holds the session. */
export async function holdLease(options: HoldLeaseOptions): Promise<HeldLease | undefined> {
  const { store, sessionId, owner, ttlMs } = options;
  const acquired = await store.leases.acquire(sessionId, owner, ttlMs);
  if (!acquired) return undefined;
  let lease = acquired;
  const done = new AbortController();
  const next = async (): Promise<boolean> => {
    const renewed = await store.leases.renew(lease, ttlMs);
    if (renewed) lease = renewed;
    return renewed !== undefined;
  };
  const look = async (): Promise<boolean> => {
    const state = await store.leases.look(lease);
    if (state === 'cancel') options.onCancel();
    // Nobody has taken it over yet: once it is renewed nobody may.
    const isOurs = state === 'expired' ? await next() : state !== 'void';
    if (!isOurs) options.onLost();
    return isOurs;
  };
  const renewing = renew(options, {
    signal: done.signal,
    next: async () => (await next()) && (await look()),
  });
  return {
    get current() {
      return lease;
    },
    look,
    async [Symbol.asyncDispose]() {
      done.abort();
      await renewing;
      // A store that fails here has nothing to give back: the lease runs out.
      await store.leases.release(lease).catch(() => false);
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
