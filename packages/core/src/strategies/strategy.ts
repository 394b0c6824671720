import type { KeepRule } from '../stages/keep-rule.ts';
import type { View } from '../changes/view.ts';

/** One way to make the context smaller, cheapest first. `fit` needs no mention: it is always the last. */
export type Rung =
  /** Clear old results and arguments. */
  | { readonly type: 'clear' }
  /** A model decides message by message what is dropped or shortened. Skipped where no model may be asked. */
  | { readonly type: 'review' }
  /** Replace old messages by a record; `none` writes the code-written parts only. */
  | {
      readonly type: 'fold';
      readonly keep: KeepRule;
      readonly writer: 'model' | 'digest' | 'none';
      readonly keepsFirstTurn: boolean;
    };

/** When and how the context is made smaller. Write your own: a plain object. */
export interface Strategy {
  readonly name: string;
  /** `manual`: only when the user asks. */
  readonly trigger: 'overflow' | 'threshold' | 'manual';
  /** Measured size of the next request, in tokens, above which the rungs are climbed. At most `usableTokens`. */
  triggerAt(usableTokens: number, windowTokens: number): number;
  /** The rungs in order; each is tried at most once per step, and only while the low mark is not reached. */
  readonly rungs: readonly Rung[];
  /** A sentence on what is wrong with `after`, or `undefined`. Asked after each fold; one that fails is not carried out, and the next rung runs. */
  validate?(before: View, after: View): string | undefined;
}
