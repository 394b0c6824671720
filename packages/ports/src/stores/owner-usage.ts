/** What the sessions of an owner come to, for limits that go by owner. */
export interface OwnerUsage {
  /** Sessions of the owner, and those of them that somebody, in whatever process, works on. */
  sessions(owner: string): Promise<{ readonly count: number; readonly busy: number }>;
  /**
   * Tokens that runs of the owner have stored as `usage`, and those that were added, by the hour, oldest first: hours
   * that have any and end behind this time. A session that is deleted takes nothing back. Hours that are two days old may
   * be gone.
   */
  tokens(owner: string, sinceMs: number): Promise<readonly HourOfTokens[]>;
  /** Counts tokens that no run has used, for the hour of now. What is no number counts as none. */
  add(owner: string, tokens: number): Promise<void>;
}

/** Tokens that an owner has used in one hour. */
export interface HourOfTokens {
  /** When the hour began, in milliseconds since 1970: a whole number of hours. */
  readonly beginsAtMs: number;
  readonly tokens: number;
}
