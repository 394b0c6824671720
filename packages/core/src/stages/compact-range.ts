import { collectSummary, taskWords } from '../summary/collect-summary.ts';
import { changesNotIn, takesOut } from '../changes/change.ts';
import { continueNoteTokens } from '../changes/replay.ts';
import { entryTexts } from '../transcript/entry-text.ts';
import { factIndex } from '../facts/fact-index.ts';
import { isUnloaded, messageRecallId } from '../transcript/entry.ts';
import { isExpansionOf, isRequest } from '../transcript/own-words.ts';
import { nextOrdinal, positionOf } from '../transcript/conversation.ts';
import { isHidden, rangesOf, shownRequests } from '../changes/view.ts';
import { rangeIdOf } from '../changes/range-id.ts';
import { proveState } from '../facts/proven-state.ts';
import { answersOf, withTextActions } from '../transcript/exchange.ts';
import { readSource } from '../timeline/read-entries.ts';
import { renderSummary } from '../summary/render-summary.ts';
import type { SummaryLimits, SummarySource } from '../summary/collect-summary.ts';
import type { Entry, RecallId } from '../transcript/entry.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { ViewItem } from '../changes/view.ts';
import type { SourceReading } from '../timeline/read-entries.ts';
import type { CompactionPlan } from './select-range.ts';
import type { RangeAnchor, RangeChange } from '../changes/change.ts';
import type { StageInput } from './stage-input.ts';
import type { Summary } from '../transcript/summary.ts';

const frameTokens = 4;

/** What is compacted, and what the user asked the summary to pay attention to. */
export interface CompactionTask {
  readonly plan: CompactionPlan;
  readonly focus?: string | undefined;
}

/** What the compaction is made from: the messages the view still shows inside the range, and the summary it replaces. */
export function summarySource(input: StageInput, { plan, focus }: CompactionTask): RangeSource {
  const { conversation, items } = input.view;
  const isReplaced = replacedBy(plan);
  const taken: Entry[] = [];
  const behind: Entry[] = [];
  const front: Entry[] = [];
  let shownTokens = 0;
  for (const item of items) {
    if (isReplaced(item)) {
      shownTokens += item.tokens;
      if (item.type === 'entry') taken.push(item.entry);
    } else if (item.type === 'entry') (item.entry.ordinal >= plan.first ? behind : front).push(item.entry);
  }
  const inOrder = [...taken, ...behind].sort((a, b) => a.ordinal - b.ordinal);
  const read = new Map(withTextActions(inOrder).map((entry) => [entry.ordinal, entry]));
  const entries = taken.map((entry) => read.get(entry.ordinal) ?? entry);
  const after = behind.map((entry) => read.get(entry.ordinal) ?? entry);
  const replaced = replacedRange(input, plan);
  const previous = replaced?.summary;
  let reading: SourceReading | undefined;
  return {
    entries,
    after,
    shownTokens,
    get reading() {
      return (reading ??= readSource({ entries, after, front, previous }));
    },
    ...(previous ? { previous } : {}),
    isSameRound: replaced !== undefined && changesNotIn([replaced], input.began).length > 0,
    ...requestsOf(input, plan, previous),
    waitState: hasAnswered(conversation) ? 'waiting-for-user' : 'working',
    ...(focus !== undefined && { focus }),
  };
}

/** A compaction's source with what the view shows of the range now, without what stays. */
export interface RangeSource extends SummarySource {
  readonly shownTokens: number;
  /** What stays in the view from the range on. */
  readonly after: readonly Entry[];
}

/** Whether an item of the view goes into the range: a message that does not stay, or what an earlier compaction wrote. */
function replacedBy(plan: CompactionPlan): (item: ViewItem) => boolean {
  const { first, end } = plan;
  const takes = takesOut(plan);
  return (item) =>
    item.type === 'synthetic'
      ? item.change.anchor.first < end && first < item.change.anchor.end
      : takes(item.entry.ordinal);
}

type Requests = Pick<SummarySource, 'task' | 'isTaskCompacted' | 'request'>;

/** The task, and whether the view shows it after the compaction; the newest request where it stays inside of the range. */
function requestsOf({ view }: StageInput, plan: CompactionPlan, previous: Summary | undefined): Requests {
  const { conversation } = view;
  const { taskAt, latestAt } = shownRequests(view);
  const takes = takesOut(plan);
  const task = entryAt(conversation, previous?.task ? taskAt : conversation.taskAt);
  const latest = latestAt === taskAt ? undefined : entryAt(conversation, latestAt);
  const isInside = latest !== undefined && [...plan.lead, ...plan.kept].includes(latest.ordinal);
  return {
    ...(task ? { task, isTaskCompacted: taskAt < 0 || takes(task.ordinal) } : {}),
    ...(isInside ? { request: latest } : {}),
  };
}

function entryAt(conversation: Conversation, position: number): Entry | undefined {
  const entry = position < 0 ? undefined : conversation.entries.at(position);
  return entry && isUnloaded(entry) ? undefined : entry;
}

/** The newest message is an answer to the user: formats that put results beside calls may end with those. */
function hasAnswered({ answeredEnd, entries, lastExchange }: Conversation): boolean {
  if (answeredEnd !== entries.length || (lastExchange?.openCalls.length ?? 0) > 0) return false;
  const parts = entries.at(entries.length - 1)?.parts ?? [];
  const work = parts.findLastIndex(({ type }) => type === 'call' || type === 'result');
  return work < 0 || parts.some((part, at) => at > work && part.type === 'text' && part.text.trim() !== '');
}

/** The range that this one covers, or one that a compaction of the provider has hidden since. */
function replacedRange({ view }: StageInput, plan: CompactionPlan): RangeChange | undefined {
  return rangesOf(view).findLast(({ anchor }) => anchor.first < plan.end);
}

// The index takes no more of a small summary.
const mostIndexShare = 0.11;

/** @param totalTokens what the summary message and the index behind it may cost */
export function summaryLimits(
  { measures, estimator }: StageInput,
  totalTokens: number,
  summariserTokens = Infinity,
): SummaryLimits {
  const proseTokens = Math.max(1, Math.floor(Math.min(measures.summaryProse, totalTokens * 0.5)));
  return {
    totalTokens,
    indexTokens: Math.min(totalTokens * mostIndexShare, measures.summaryFactIndex),
    proseTokens,
    proseTargetTokens: Math.min(800, proseTokens),
    userMessageTokens: Math.min(measures.userMessages, totalTokens),
    summariserTokens,
    estimator,
  };
}

// Shares of what is usable, not of the trigger: a pass that the user asks for treats whatever there is as the trigger.
const keptShare = 0.1;
const wordsShare = 0.15;
const maxWordsTokens = 20_000;

/**
 * What the summary keeps, whatever there is room for in its text now: what was said in a session is not forgotten because
 * one pass was short of space, or because the user asked for several.
 */
export function keptLimits({ measures }: StageInput, shown: SummaryLimits): SummaryLimits {
  const words = Math.min(maxWordsTokens, measures.usable * wordsShare);
  return {
    ...shown,
    totalTokens: Math.max(shown.totalTokens, measures.usable * keptShare),
    userMessageTokens: Math.max(shown.userMessageTokens, words),
  };
}

export interface Prose {
  readonly text: string;
  readonly by: Summary['proseBy'];
  /** Ordinal of the last message it tells of; -1 without prose. */
  readonly end: number;
  readonly profile: string;
}

/** The change that puts a summary in the place of the range. */
export function compactRange(
  input: StageInput,
  options: {
    readonly plan: CompactionPlan;
    readonly source: RangeSource;
    readonly limits: SummaryLimits;
    readonly prose: Prose;
  },
): RangeChange {
  const { plan, source, limits, prose } = options;
  const summary: Summary = {
    ...collectSummary(source, keptLimits(input, limits)),
    prose: prose.text,
    proseBy: prose.by,
    proseEnd: prose.end,
    profile: prose.profile,
  };
  return summarised(input, { plan, summary, source, limits });
}

interface SummarisedOptions {
  readonly plan: CompactionPlan;
  readonly summary: Summary;
  readonly source: RangeSource;
  readonly limits: SummaryLimits;
}

/** A range change with this summary as its text. */
export function summarised(input: StageInput, options: SummarisedOptions): RangeChange {
  const { plan, summary, source, limits } = options;
  // The task is written into the text only where the model does not see it in the view.
  const { conversation } = input.view;
  const isTaskBefore = source.task !== undefined && source.task.ordinal < plan.first;
  const isTaskShown = plan.lead.length > 0 || (isTaskBefore && !isHidden(conversation, conversation.taskAt));
  const { estimator } = input;
  const count = (part: string): number => estimator.count(part);
  const newest = source.after.at(-1);
  // What was done behind the range is open no more; an action that is text may be answered there.
  const last = source.entries.slice(-1).filter(({ role }) => role === 'assistant');
  const done = [...last, ...source.after];
  const state = proveState(done, answersOf(done), summary.state);
  const text = renderSummary({ ...summary, state }, limits, {
    task: isTaskShown ? undefined : (summary.task ?? (source.task && taskWords(source.task, limits))),
    first: messageRecallId(plan.first),
    last: messageRecallId(plan.end - 1),
    stateAsOf: messageRecallId(Math.max(plan.end - 1, newest?.ordinal ?? 0)),
    asked: newest && isUsers(conversation, newest.ordinal) ? messageRecallId(newest.ordinal) : undefined,
    request: requestBehind(source, plan),
    hasRecall: input.hasRecall,
    ...spokenOf(input, plan),
    maxTokens: limits.totalTokens - limits.indexTokens,
  });
  const textTokens = estimator.count(text);
  const index = factIndex(summary.names, {
    maxTokens: Math.min(limits.indexTokens, limits.totalTokens - textTokens),
    count,
    shown: [text, ...source.after.flatMap(entryTexts), ...(source.task ? entryTexts(source.task) : [])],
    historyEnd: nextOrdinal(conversation),
  });
  return {
    type: 'range-compacted',
    anchor: rangeAnchor(conversation, plan),
    text,
    factIndex: index,
    injection: plan.injection,
    summary,
    reason: 'space',
    recallId: messageRecallId(plan.first),
    beforeTokens: source.shownTokens,
    afterTokens: textTokens + (index?.tokens ?? 0) + rangeFrameTokens(input, plan),
  };
}

/** The newest request, where the view shows it behind the summary although messages that followed it are archived. */
function requestBehind({ request }: RangeSource, { kept }: CompactionPlan): RecallId | undefined {
  return request && kept.includes(request.ordinal) ? messageRecallId(request.ordinal) : undefined;
}

/** What users have said in a range and that stays in the view. */
function spokenOf({ view: { conversation } }: StageInput, { lead, kept }: CompactionPlan) {
  const spoken = (ordinals: readonly number[]): RecallId[] =>
    ordinals.filter((ordinal) => isUsers(conversation, ordinal)).map(messageRecallId);
  return { above: spoken(lead), below: spoken(kept) };
}

/** Whether the user says something in a message, and no command or skill has written it. */
function isUsers(conversation: Conversation, ordinal: number): boolean {
  const at = positionOf(conversation, ordinal);
  const entry = entryAt(conversation, at);
  if (!entry || !isRequest(entry)) return false;
  return !isExpansionOf(entry, [entryAt(conversation, at - 1), entryAt(conversation, at - 2)]);
}

/** What a range costs beside its texts: the frame of its message, and the note that may follow. */
export function rangeFrameTokens({ view }: Pick<StageInput, 'view'>, plan: CompactionPlan): number {
  return frameTokens + continueNoteTokens(view.conversation, { injection: plan.injection, anchor: plan });
}

export function rangeAnchor(conversation: Conversation, plan: CompactionPlan): RangeAnchor {
  const { first, end, lead, kept } = plan;
  const { fingerprint, runs } = rangeIdOf(conversation, plan);
  return { first, end, lead, kept, fingerprint, ...(runs ? { runs } : {}) };
}
