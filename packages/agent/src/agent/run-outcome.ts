import type { MeasuredPart } from '@throughline/core';
import type { ModelFailure, ModelFinish } from '@throughline/ports';

/** How a run ended. Plain JSON, stored with the run. */
export type RunOutcome =
  /** The model has said its last word: `stop`, or whatever else made it end without a call. */
  | { readonly type: 'completed'; readonly finish: ModelFinish }
  | { readonly type: 'cancelled' }
  /** The limit was reached. `isConcluded`: the model had a last step without tools to say what it has. */
  | { readonly type: 'limit'; readonly limit: 'steps' | 'time'; readonly isConcluded: boolean }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  /**
   * Not even the smallest request fits the window, or compaction is switched off: the biggest parts first. The session is
   * as it was.
   */
  | {
      readonly type: 'cannot-fit';
      readonly usableTokens: number;
      readonly requestTokens: number;
      readonly parts: readonly MeasuredPart[];
      /** Only the switch forbids it: a compaction that is asked for may make room. */
      readonly canCompact: boolean;
      /** The provider refused the request, whatever it measures. */
      readonly refusal?: ModelFailure;
    }
  /** Another process has taken the session over. */
  | { readonly type: 'lost' }
  /** A fault that is nobody's expectation (a store that fails); the message is for people. */
  | { readonly type: 'broken'; readonly code: string; readonly message: string };
