import type { SessionToReplay } from '../sessions/session-to-replay.ts';
import type { Codec } from '@throughline/core';
import type { PassCost } from '@throughline/core/internal';
import type { SummaryCall } from './fake-models.ts';

/** What a contender would send at one step. */
export interface Sent {
  readonly messages: readonly unknown[];
  /** Indices into `messages` of what the contender wrote itself. */
  readonly written?: ReadonlySet<number>;
  /** It says that it changed the prefix on purpose: a compaction or a prune batch. */
  readonly isCompaction?: boolean;
  /** What it says that this costs and saves. */
  readonly passCost?: PassCost;
  /** What was archived, where that is kept under recall ids. */
  readonly archive?: Archive;
  /** Calls of the summariser in this step. */
  readonly summaries?: readonly SummaryCall[];
}

/** What was archived, found again by recall id. */
export interface Archive {
  /** The original behind a recall id that stands in the context; `undefined`: there is none. */
  recall(recallId: string): string | undefined;
  /** The message of the session with this index as it was, after state and history went through JSON. */
  restored(index: number): unknown;
}

/** One replay of one session under one budget. Steps are asked for in order. */
export interface Run {
  /** Format of what is sent. */
  readonly codec: Codec;
  /** H_k in that format: what is sent unchanged is these very objects. */
  history(historyLength: number): readonly unknown[];
  /**
   * `idleMs`: time since the step before, where the recording says so. `undefined`: the contender has nothing to send
   * (it threw, or says that nothing fits).
   */
  step(historyLength: number, count: TokensOf, idleMs?: number): Sent | undefined | Promise<Sent | undefined>;
  /** Told after each step what the server counted. */
  observe?(sentTokens: number): void;
  /** M12: the last step once more, from fresh objects and from what it remembered before, through JSON. */
  again?(historyLength: number): Promise<readonly unknown[] | undefined>;
  /** M12: a further step from what the last one remembers, with nothing new. */
  twice?(): Promise<readonly unknown[] | undefined>;
}

/** T() of a list of messages in the format of the run. */
export type TokensOf = (messages: readonly unknown[]) => number;

export interface Contender {
  readonly name: string;
  readonly kind: 'baseline' | 'ours' | 'peer';
  start(session: SessionToReplay, budgetTokens: number): Run;
}
