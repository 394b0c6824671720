import type { ContextState } from '@throughline/core';
import type { Whose } from './proxy-conversations.ts';

/** What a pass made of a history. */
export interface NewPass {
  /** Hash of the newest message of the history that the pass stands on. */
  readonly hash: string;
  /** The conversation in which it was made; others may stand on it as well. */
  readonly conversationId: string;
  readonly state: ContextState;
  readonly report: PassReport;
}

/** For people. Plain JSON. */
export interface PassReport {
  readonly action: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly windowTokens: number;
  /** `null` where the pass made no checkpoint. */
  readonly checkpointId: string | null;
  readonly atMs: number;
}

/** A pass as it was stored, and the history that it stands on. */
export interface StoredPass extends NewPass {
  /** Number of messages of that history. */
  readonly length: number;
  /** 1 for the first that stands at this hash; each that replaces one counts it up. */
  readonly version: number;
  /** Longer histories were stored when it was made: it counts for its own alone. */
  readonly isLate: boolean;
  /** Bytes of state and report as they are stored. */
  readonly bytes: number;
  readonly createdAtMs: number;
}

/** What stands at a hash after somebody wanted to store a pass there. */
export interface KeptPass {
  readonly pass: StoredPass;
  /** Whether it is the caller's own; if not, another was first, and the caller goes on with that one. */
  readonly isOwn: boolean;
}

/**
 * At most one for each history that one stands on: whoever compacts the same history, in whatever process, ends with the same result. One
 * that is made when longer histories are stored already counts for its own history alone: those went out without it.
 */
export interface ProxyPasses {
  /**
   * The one of the longest history among these that counts for the last of them; `hashes` are those of one history,
   * oldest first.
   */
  find(scope: string, hashes: readonly string[]): Promise<StoredPass | undefined>;
  /**
   * Stores it, where none stands at its hash: the first writer wins.
   *
   * @returns `undefined` where the messages of its history are not there, and nothing was stored.
   */
  add(scope: string, pass: NewPass): Promise<KeptPass | undefined>;
  /**
   * Puts it in the place of the one of this version, which proved too large; where that one is gone it is stored, and
   * where another has replaced it already, that other stays.
   *
   * @returns `undefined` where the messages of its history are not there, and nothing was stored.
   */
  replace(scope: string, pass: NewPass, version: number): Promise<KeptPass | undefined>;
  /** All on which this conversation stands, oldest first. `not-found` as the methods of conversations. */
  list(whose: Whose, conversationId: string): Promise<readonly StoredPass[]>;
}
