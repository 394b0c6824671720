/** The right to run one session. Every write of the run carries it; a newer one makes it void. */
export interface Lease {
  readonly sessionId: string;
  readonly owner: string;
  /** Counts up with each acquisition: what carries an older one is refused. */
  readonly epoch: number;
  readonly expiresAtMs: number;
}

/** Makes sure that two runs, in whatever processes, never work on one session. */
export interface Leases {
  /**
   * The lease, or `undefined` while another run holds it. One that has expired is taken over.
   *
   * @param owner names the run or process, for people; it need not be unique.
   * @throws {ContextError} `not-found` when there is no such session.
   */
  acquire(sessionId: string, owner: string, ttlMs: number): Promise<Lease | undefined>;
  /** The lease with a new expiry, or `undefined` when another run has taken it over: stop. */
  renew(lease: Lease, ttlMs: number): Promise<Lease | undefined>;
  /** Gives it back and sets the session idle; `false` when it was lost before. */
  release(lease: Lease): Promise<boolean>;
}
