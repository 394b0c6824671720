import type { BenchSession } from './read-sessions.ts';
import type { Codec } from '@throughline/core';

/** What a contender would send at one step. */
export interface Sent {
  readonly messages: readonly unknown[];
  /** Indices into `messages` of what the contender wrote itself. */
  readonly written?: ReadonlySet<number>;
  /** It says that it changed the prefix on purpose: a compaction or a prune batch. */
  readonly isCompaction?: boolean;
  /** Determinism faults found by asking again (M12). */
  readonly faults?: number;
}

/** One replay of one session under one budget. Steps are asked for in order. */
export interface Run {
  /** Format of what is sent. */
  readonly codec: Codec;
  /** `undefined`: the contender has nothing to send (it threw, or says that nothing fits). */
  step(historyLength: number, count: TokensOf): Sent | undefined | Promise<Sent | undefined>;
  /** Told after each step what the server counted. */
  observe?(sentTokens: number): void;
}

/** T() of a list of messages in the format of the session. */
type TokensOf = (messages: readonly unknown[]) => number;

export interface Contender {
  readonly name: string;
  start(session: BenchSession, budgetTokens: number): Run;
}
