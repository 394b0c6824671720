import { boundedSums } from '../timeline/name-sums.ts';
import { boundTimeline } from '../timeline/fill-timeline.ts';
import { carryTask } from '../summary/carry-task.ts';
import { proveState } from '../timeline/proven-state.ts';
import { withUserWords } from '../timeline/user-words.ts';
import type { SummarySource, SummaryLimits } from '../summary/summary-source.ts';
import type { Summary } from '../transcript/summary.ts';
import type { TimelineEntry } from '../transcript/timeline.ts';

const mostNames = 800;

/**
 * The parts of a summary that code writes, from the messages that are newly compacted and the summary they are merged
 * with. Prose and its author are empty (`''`, `none`); who writes it fills them in.
 */
export function collectSummary(source: SummarySource, limits: SummaryLimits): Summary {
  const { entries, previous, reading } = source;
  const count = (text: string): number => limits.estimator.count(text);
  const merged = mergedTimeline(previous?.timeline ?? [], reading.timeline);
  const worded = withUserWords(merged, limits.userMessageTokens, count);
  const historyEnd = (entries.at(-1)?.ordinal ?? 0) + 1;
  const task = carryTask(source, limits);
  return {
    round: (previous?.round ?? 0) + 1,
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
  const ordinal = ({ recallId }: TimelineEntry): number => Number(recallId.slice(1));
  return [...old, ...added].sort((a, b) => ordinal(a) - ordinal(b));
}
