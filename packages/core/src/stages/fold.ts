import { collectRecord } from '../summary/collect-record.ts';
import { continueNoteTokens } from '../changes/continue-note.ts';
import { factCost } from '../summary/fact-cost.ts';
import { isGap } from '../transcript/gap.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { positionOf, unitAt } from '../transcript/conversation.ts';
import { isHidden, rangesOf } from '../changes/view.ts';
import { sealOf } from '../changes/seal.ts';
import { shownRequests } from '../changes/shown-requests.ts';
import { renderIndex } from '../summary/render-index.ts';
import { renderRecord } from '../summary/render-record.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';
import type { FoldPlan } from './select-fold.ts';
import type { FoldSource, SummaryLimits } from '../summary/fold-source.ts';
import type { RangeAnchor, RangeChange } from '../changes/change.ts';
import type { RecordRoom } from './record-room.ts';
import type { StageInput } from './stage-input.ts';
import type { SummaryRecord } from '../transcript/summary-record.ts';
import type { ViewItem } from '../changes/view.ts';

const frameTokens = 4;

export interface FoldOptions {
  readonly plan: FoldPlan;
  readonly focus?: string;
}

/** What the fold is made from: the messages the view still shows inside the range, and the record it replaces. */
export function foldSource(input: StageInput, { plan, focus }: FoldOptions): RangeSource {
  const { conversation, items } = input.view;
  const stays = stayingOf(plan);
  const entries: Entry[] = [];
  let shownTokens = 0;
  for (let index = 0; index < items.length; index += 1) {
    const item = items.at(index) as ViewItem;
    if (!isReplaced(item, plan, stays)) continue;
    shownTokens += item.tokens;
    if (item.type === 'entry') entries.push(item.entry);
  }
  const previous = previousRecord(input, plan);
  return {
    entries,
    shownTokens,
    // Only who asks a model wants to know.
    get unitStarts() {
      return unitStartsOf(conversation, entries);
    },
    ...(previous ? { previous } : {}),
    ...requestsOf(input, plan, previous),
    waitState:
      conversation.answeredEnd === conversation.entries.length && !hasOpenCalls(conversation)
        ? 'waiting-for-user'
        : 'working',
    ...optional('focus', focus),
  };
}

/** A fold's source with what the view shows of the range now, without what stays. */
export interface RangeSource extends FoldSource {
  readonly shownTokens: number;
}

function stayingOf({ lead, kept }: FoldPlan): ReadonlySet<number> {
  return new Set([...lead, ...kept]);
}

/** Whether an item of the view goes into the range: a message that does not stay, or what an earlier fold wrote. */
function isReplaced(item: ViewItem, { first, end }: FoldPlan, stays: ReadonlySet<number>): boolean {
  if (item.type === 'synthetic') return item.change.anchor.first < end && first < item.change.anchor.end;
  const { ordinal } = item.entry;
  return ordinal >= first && ordinal < end && !stays.has(ordinal);
}

function unitStartsOf(conversation: Conversation, entries: readonly Entry[]): number[] {
  return entries.flatMap(({ ordinal }, index) => {
    const position = positionOf(conversation, ordinal);
    return unitAt(conversation, position)?.first === position ? [index] : [];
  });
}

type Requests = Pick<FoldSource, 'task' | 'isTaskFolded' | 'latest' | 'latestShown'>;

/** Task and latest request, and whether the view shows them after the fold. */
function requestsOf({ view }: StageInput, plan: FoldPlan, previous: SummaryRecord | undefined): Requests {
  const { conversation } = view;
  const { taskAt, latestAt } = shownRequests(view);
  const staying = new Set([...plan.lead, ...plan.kept]);
  const stays = ({ ordinal }: Entry): boolean =>
    ordinal < plan.first || ordinal >= plan.end || staying.has(ordinal);
  // A record of an earlier version says nothing of a task that was folded.
  const task = entryAt(conversation, previous?.task ? taskAt : conversation.taskAt);
  const latest = entryAt(conversation, latestAt);
  return {
    latestShown: latest && stays(latest) ? latest.ordinal : -1,
    ...(task ? { task, isTaskFolded: taskAt < 0 || !stays(task) } : {}),
    ...(latest && latest.ordinal < plan.end && stays(latest) ? { latest } : {}),
  };
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

function entryAt(conversation: Conversation, position: number): Entry | undefined {
  const entry = position < 0 ? undefined : conversation.entries.at(position);
  return entry && isGap(entry) ? undefined : entry;
}

function hasOpenCalls({ lastUnit }: Conversation): boolean {
  return (lastUnit?.openCalls.length ?? 0) > 0;
}

/** The record of the range that this one covers, or of one that a compaction of the provider has hidden since. */
export function previousRecord({ view }: StageInput, plan: FoldPlan): SummaryRecord | undefined {
  return rangesOf(view).findLast(({ anchor }) => anchor.first < plan.end)?.record;
}

export function summaryLimits(input: StageInput, summariserTokens: number, room: RecordRoom): SummaryLimits {
  const { measures, estimator } = input;
  const { messageTokens } = room;
  const proseTokens = Math.max(1, Math.floor(Math.min(measures.summaryProse, messageTokens * 0.8)));
  return {
    ...room,
    proseTokens,
    proseTargetTokens: Math.min(800, proseTokens),
    userMessageTokens: Math.min(measures.userMessages, messageTokens),
    summariserTokens,
    estimator,
    factCost: factCost(estimator),
  };
}

// Of what is usable, not of the trigger: a pass that the user asks for treats whatever there is as the trigger.
const recordShare = 0.25;
const indexShare = 0.2;
const maxIndexTokens = 8_000;
const wordsShare = 0.15;
const maxWordsTokens = 20_000;

/**
 * What the record keeps, whatever there is room for in its text now: the user's words and the facts of a session are
 * not forgotten because one pass was short of space, or because the user asked for several.
 */
export function recordLimits({ measures }: StageInput, shown: SummaryLimits): SummaryLimits {
  const words = Math.min(maxWordsTokens, measures.usable * wordsShare);
  return {
    ...shown,
    messageTokens: Math.max(shown.messageTokens, measures.usable * recordShare),
    indexTokens: Math.max(shown.indexTokens, Math.min(maxIndexTokens, measures.usable * indexShare)),
    userMessageTokens: Math.max(shown.userMessageTokens, words),
  };
}

export interface Prose {
  readonly text: string;
  readonly by: SummaryRecord['proseBy'];
  readonly profile: string;
}

/** Rung 3: the change that puts a record in the place of the range. */
export function fold(
  input: StageInput,
  options: FoldOptions & {
    readonly source: RangeSource;
    readonly limits: SummaryLimits;
    readonly prose: Prose;
  },
): RangeChange {
  const { plan, source, limits, prose } = options;
  const record: SummaryRecord = {
    ...collectRecord(source, recordLimits(input, limits)),
    prose: prose.text,
    proseBy: prose.by,
    profile: prose.profile,
  };
  return summarised(input, { plan, record, source, limits });
}

export interface SummarisedOptions {
  readonly plan: FoldPlan;
  readonly record: SummaryRecord;
  readonly source: RangeSource;
  readonly limits: SummaryLimits;
}

/** A range change with this record as its text. */
export function summarised(input: StageInput, options: SummarisedOptions): RangeChange {
  const { plan, record, source, limits } = options;
  // The task is written into the text only where the model does not see it in the view.
  const { conversation } = input.view;
  const isTaskBefore = source.task !== undefined && source.task.ordinal < plan.first;
  const isTaskShown = plan.lead.length > 0 || (isTaskBefore && !isHidden(conversation, conversation.taskAt));
  const text = renderRecord(record, limits, {
    injection: isTaskShown ? 'pair' : plan.injection,
    first: messageRecallId(plan.first),
    last: messageRecallId(plan.end - 1),
    hasRecall: input.hasRecall,
    source,
  });
  const { estimator } = input;
  const textTokens = estimator.count(text);
  const index = renderIndex(record, {
    maxTokens: Math.min(limits.indexTokens, limits.totalTokens - textTokens),
    estimator,
    written: text,
    cost: limits.factCost,
  });
  return {
    type: 'range-summarised',
    anchor: rangeAnchor(conversation, plan),
    text,
    index,
    injection: plan.injection,
    record,
    reason: 'space',
    recallId: messageRecallId(plan.first),
    beforeTokens: source.shownTokens,
    afterTokens: textTokens + (index?.tokens ?? 0) + rangeFrameTokens(input, plan),
  };
}

/** What a range costs beside its texts: the frame of its message, and the note that may follow. */
export function rangeFrameTokens({ view }: StageInput, plan: FoldPlan): number {
  return frameTokens + continueNoteTokens(view.conversation, { injection: plan.injection, anchor: plan });
}

export function rangeAnchor(conversation: Conversation, plan: FoldPlan): RangeAnchor {
  const { first, end, lead, kept } = plan;
  const { fingerprint, runs } = sealOf(conversation, plan);
  return { first, end, lead, kept, fingerprint, ...(runs ? { runs } : {}) };
}

/** What the view shows of the range now, without what stays. */
export function shownInRange({ view }: StageInput, plan: FoldPlan): number {
  const stays = stayingOf(plan);
  let tokens = 0;
  for (let index = 0; index < view.items.length; index += 1) {
    const item = view.items.at(index) as ViewItem;
    if (isReplaced(item, plan, stays)) tokens += item.tokens;
  }
  return tokens;
}
