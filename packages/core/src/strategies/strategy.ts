import type { KeepRule } from '../stages/choose-cut.ts';
import type { View } from '../changes/view.ts';

/** One way to make the context smaller, cheapest first. `fit` needs no mention: it is always the last. */
export type LadderStep =
  /** Prune old results and arguments. */
  | { readonly type: 'prune' }
  /** A model decides message by message what is dropped or truncated. Skipped where no model may be asked. */
  | { readonly type: 'review' }
  /** Replace old messages by a summary; `none` writes the code-written parts only. */
  | {
      readonly type: 'compact';
      readonly keep: KeepRule;
      readonly writer: 'model' | 'code' | 'none';
      readonly keepsFirstTurn: boolean;
    };

/** When and how the context is made smaller. Write your own: a plain object. */
export interface Strategy {
  readonly name: string;
  /** `manual`: only when the user asks. */
  readonly trigger: 'overflow' | 'threshold' | 'manual';
  /** Measured size of the next request, in tokens, above which the ladder runs. At most `usableTokens`. */
  triggerAt(usableTokens: number, windowTokens: number): number;
  /** The ladder steps in order; each is tried at most once per step, and only while the target is not reached. */
  readonly ladderSteps: readonly LadderStep[];
  /**
   * What is wrong with `after`: a sentence, or `false`; `undefined` or `true` where nothing is. Asked after each compaction; one
   * that fails is not carried out, and the next ladder step runs.
   */
  validate?(before: View, after: View): string | boolean | undefined;
}

/** Whether the strategy is content with a view that was made: it has no complaint, or none in so many words. */
export function isContent(strategy: Strategy, before: View, after: View): boolean {
  const complaint = strategy.validate?.(before, after);
  return complaint === undefined || complaint === true;
}
