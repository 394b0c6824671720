import type { Estimator } from '../tokens/estimator.ts';
import type { Entry } from '../transcript/entry.ts';
import type { SourceReading } from '../timeline/read-source.ts';
import type { Summary } from '../transcript/summary.ts';

/** What is about to be compacted. Entries are the originals, in order, whatever the view showed of them. */
export interface SummarySource {
  /** Entries newly compacted in this round, oldest first; exchanges are whole. */
  readonly entries: readonly Entry[];
  /** What the timeline makes of them: read when somebody asks, once. */
  readonly reading: SourceReading;
  /** The summary of the compaction this one replaces. */
  readonly previous?: Summary;
  /** The first request, which stays in the view (or goes into the text, see `injection`). */
  readonly task?: Entry;
  /** No view shows it after this compaction: its words go into the summary. @default false */
  readonly isTaskCompacted?: boolean;
  readonly waitState: 'working' | 'waiting-for-user';
  /** What the user asked the summary to pay attention to (manual compaction). */
  readonly focus?: string;
}

/** Sizes that bound a summary, all in estimated tokens. From the one budget. */
export interface SummaryLimits {
  /** The summary message and the index behind it together. */
  readonly totalTokens: number;
  /** The index of names and numbers behind it: 8 % of the trigger, at most 1 200 tokens and 2 %. It gives way. */
  readonly indexTokens: number;
  /** Most prose: min(2 000, 20 % of the target). */
  readonly proseTokens: number;
  /** What the model is asked for: 800, or less where `proseTokens` is less. */
  readonly proseTargetTokens: number;
  /** The user's other messages: min(20 000, 15 % of the trigger). */
  readonly userMessageTokens: number;
  /** Most the summariser's own request may cost: its usable window. */
  readonly summariserTokens: number;
  readonly estimator: Estimator;
}
