import type { Estimator } from '../tokens/estimator.ts';
import type { FactCost } from './fact-cost.ts';
import type { Entry } from '../transcript/entry.ts';
import type { SummaryRecord } from '../transcript/summary-record.ts';

/** What is about to be folded. Entries are the originals, in order, whatever the view showed of them. */
export interface FoldSource {
  /** Entries newly folded in this round, oldest first; groups are whole. */
  readonly entries: readonly Entry[];
  /** Index into `entries` where each closed group or single message starts: the only legal chunk borders. */
  readonly unitStarts: readonly number[];
  /** The record of the fold this one replaces. */
  readonly previous?: SummaryRecord;
  /** The first request, which stays in the view (or goes into the text, see `injection`). */
  readonly task?: Entry;
  /** No view shows it after this fold: its words go into the record. @default false */
  readonly isTaskFolded?: boolean;
  /** The latest request where it does not lie behind the range; it stays in the view too. */
  readonly latest?: Entry;
  /**
   * Ordinal of the newest request that the view shows after the fold, -1 where it shows none: a newer one is in the
   * record alone. Absent: the latest request is shown.
   */
  readonly latestShown?: number;
  readonly waitState: 'working' | 'waiting-for-user';
  /** What the user asked the summary to pay attention to (manual compaction). */
  readonly focus?: string;
}

/** Sizes that bound a summary, all in estimated tokens. From the one budget. */
export interface SummaryLimits {
  /** The whole summary message: 25 % of the trigger. */
  readonly messageTokens: number;
  /** The index of names and numbers behind it: 20 % of the trigger, at most 8 000. */
  readonly indexTokens: number;
  /** Both together: 40 % of the trigger. The index gives way. */
  readonly totalTokens: number;
  /** Most prose: min(2 000, 20 % of the low mark). */
  readonly proseTokens: number;
  /** What the model is asked for: 800, or less where `proseTokens` is less. */
  readonly proseTargetTokens: number;
  /** The user's other messages: min(20 000, 15 % of the trigger). */
  readonly userMessageTokens: number;
  /** Most the summariser's own request may cost: its usable window. */
  readonly summariserTokens: number;
  readonly estimator: Estimator;
  /** What facts cost, each counted once for all that is made of a fold. @default counted anew */
  readonly factCost?: FactCost;
}
