import type { Measures } from '../budget/measures.ts';
import type { View } from '../changes/view.ts';
import type { Estimator } from '../tokens/estimator.ts';

/** What every stage works on. Sizes are in the estimator's tokens. */
export interface StageInput {
  readonly view: View;
  readonly measures: Measures;
  readonly estimator: Estimator;
  /** Placeholders may name the `recall` tool: the host offers it. */
  readonly hasRecall: boolean;
  /** Ordinals of messages that are never compacted, pruned or truncated. */
  readonly pins: ReadonlySet<number>;
}

/** Limits on one tool's output before its first send. Characters and lines; absent means no limit of that kind. */
export interface ToolLimits {
  readonly maxOutputChars?: number;
  readonly maxLines?: number;
  readonly maxLineLength?: number;
  readonly maxMatches?: number;
}
