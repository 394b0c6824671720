import { truncatedText } from './placeholder.ts';
import { boundedSums } from '../facts/fact-index.ts';
import { boundTimeline } from '../timeline/fill-timeline.ts';
import { proveState } from '../facts/proven-state.ts';
import { withoutRepeats, withUserWords } from '../timeline/user-words.ts';
import { messageOrdinal, messageRecallId } from '../transcript/entry.ts';
import { ownWords } from '../transcript/own-words.ts';
import type { SourceReading } from '../timeline/read-entries.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { Entry } from '../transcript/entry.ts';
import type { CarriedMessage, Summary, TimelineEntry } from '../transcript/summary.ts';

const mostNames = 800;

/**
 * The parts of a summary that code writes, from the messages that are newly compacted and the summary they are merged
 * with. Prose and its author are empty (`''`, `none`); who writes it fills them in.
 */
export function collectSummary(source: SummarySource, limits: SummaryLimits): Summary {
  const { entries, previous, reading } = source;
  const count = (text: string): number => limits.estimator.count(text);
  const merged = mergedTimeline(previous?.timeline ?? [], reading.timeline);
  const worded = withUserWords(withoutRepeats(merged), limits.userMessageTokens, count);
  const historyEnd = (entries.at(-1)?.ordinal ?? 0) + 1;
  const task = carryTask(source, limits);
  return {
    round: Math.max(1, (previous?.round ?? 0) + (source.isSameRound ? 0 : 1)),
    ...(task === undefined ? {} : { task }),
    prose: '',
    proseBy: 'none',
    proseEnd: -1,
    profile: previous?.profile ?? 'coding',
    archivedMessages: (previous?.archivedMessages ?? 0) + entries.length,
    timeline: boundTimeline(worded, limits.totalTokens, count),
    names: boundedSums(reading.sums, historyEnd, mostNames),
    state: proveState(entries, reading.answers, previous?.state),
    waitState: source.waitState,
  };
}

/** In the order of the history: a request that stayed in the view when its neighbours went comes back to its place. */
function mergedTimeline(old: readonly TimelineEntry[], added: readonly TimelineEntry[]): TimelineEntry[] {
  return [...old, ...added].sort((a, b) => messageOrdinal(a.recallId) - messageOrdinal(b.recallId));
}

/** What is about to be compacted. Entries are the originals, in order, whatever the view showed of them. */
export interface SummarySource {
  /** Entries newly compacted in this round, oldest first; exchanges are whole. */
  readonly entries: readonly Entry[];
  /** What the timeline makes of them: read when somebody asks, once. */
  readonly reading: SourceReading;
  /** The summary of the compaction this one replaces. */
  readonly previous?: Summary;
  /** That compaction was made in this very pass: both are one round. @default false */
  readonly isSameRound?: boolean;
  /** The first request, which stays in the view (or goes into the text, see `injection`). */
  readonly task?: Entry;
  /** No view shows it after this compaction: its words go into the summary. @default false */
  readonly isTaskCompacted?: boolean;
  /** The newest request, where it stays in the view although messages behind it are compacted. */
  readonly request?: Entry;
  readonly waitState: 'working' | 'waiting-for-user';
  /** What the user asked the summary to pay attention to (manual compaction). */
  readonly focus?: string;
}

/** What a summary is written from, and what it may cost. */
export interface WrittenFrom {
  readonly source: SummarySource;
  readonly limits: SummaryLimits;
}

/** Sizes that bound a summary, all in estimated tokens. From the one budget. */
export interface SummaryLimits {
  /** The summary message and the index behind it together. */
  readonly totalTokens: number;
  /** The index of names and numbers behind it: 5 % of the trigger, at most 750 tokens and 1.25 %. It gives way. */
  readonly indexTokens: number;
  /** Most prose: 2 000 to 4 000, at most 20 % of the target. */
  readonly proseTokens: number;
  /** What the model is asked for in the first round: 800, or less where `proseTokens` is less. */
  readonly proseTargetTokens: number;
  /** The user's other messages: min(20 000, 15 % of the trigger). */
  readonly userMessageTokens: number;
  /** Most the summariser's own request may cost: its usable window. */
  readonly summariserTokens: number;
  readonly estimator: Estimator;
}

/** The task's share of a summary message that it is written into. */
const taskShare = 0.4;

/** The task for the summary, where it is compacted or was before: no later compaction may have its message at hand. */
function carryTask(source: SummarySource, limits: SummaryLimits): CarriedMessage | undefined {
  const { task, isTaskCompacted, previous } = source;
  return task && isTaskCompacted === true ? taskWords(task, limits) : previous?.task;
}

/** The words of the task within their share of a summary: beyond it head and tail. */
export function taskWords(task: Entry, { estimator, totalTokens }: SummaryLimits): CarriedMessage {
  const text = ownWords(task).trim().toWellFormed();
  const recallId = messageRecallId(task.ordinal);
  const shown = truncatedText(text, {
    recallId,
    originalTokens: estimator.count(text),
    maxTokens: Math.max(20, totalTokens * taskShare),
    hasRecall: false,
    estimator,
    of: 'text',
  });
  return { recallId, text: shown, isTruncated: shown !== text };
}
