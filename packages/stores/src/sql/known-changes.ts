import type { Change } from '@throughline/core';

/** A list of changes as it was stored, with the text of each. */
export interface StoredChanges {
  readonly version: number;
  readonly changes: readonly Change[];
  readonly texts: readonly string[];
}

const rememberedSessions = 64;

/**
 * The lists of changes that were written or read last: a step adds a few to a long list, and only those are stored.
 * A list is good for one version of the session's state; another process's write makes it a stranger.
 */
export class KnownChanges {
  readonly #bySession = new Map<number, StoredChanges>();

  get(sessionKey: number, version: number): StoredChanges | undefined {
    const known = this.#bySession.get(sessionKey);
    return known?.version === version ? known : undefined;
  }

  set(sessionKey: number, stored: StoredChanges): void {
    this.#bySession.delete(sessionKey);
    this.#bySession.set(sessionKey, stored);
    if (this.#bySession.size <= rememberedSessions) return;
    for (const oldest of this.#bySession.keys()) {
      this.#bySession.delete(oldest);
      return;
    }
  }
}
