import {
  exchangeAt,
  newestExchanges,
  positionOf,
  repeatedSystemMessages,
  tokensAt,
  tokensBetween,
} from '../transcript/conversation.ts';
import { takesOut } from '../changes/change.ts';
import { isHidden, rangesOf, shownRequests } from '../changes/view.ts';
import { chooseCut } from './choose-cut.ts';
import { notableExchanges, stayingPositions } from './staying-positions.ts';
import { endOf } from '../transcript/entry.ts';
import { isInjected, isInstructions, isRequest } from '../transcript/own-words.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { View } from '../changes/view.ts';
import type { StageInput } from './stage-input.ts';
import type { Exchange } from '../transcript/exchange.ts';
import type { KeepRule } from './choose-cut.ts';
import type { Injection, RangeChange, TakenRange } from '../changes/change.ts';

/** What stays of a range, and how it is told, where that is not as usual. */
interface RangeShape {
  /** @default that of the policy */
  readonly injection?: Injection;
  /** Share of the trigger that calls without a result keep for themselves. @default 0.05 */
  readonly openShare?: number;
}

interface RangeSelection {
  readonly keep: KeepRule;
  /** The whole first turn stays, not only the first request. */
  readonly keepsFirstTurn: boolean;
}

/** Which messages a compaction replaces: ordinals, so that it survives being stored. */
export interface CompactionPlan extends TakenRange {
  readonly injection: Injection;
}

/** Share of the trigger that calls without a result may keep for themselves; older ones count as interrupted. */
const usualOpenShare = 0.05;
/** A share of what a task may cost: instructions that stay in front of every compaction take their place from what is recalled. */
const leadInShare = 0.5;
const leadInTriggerShare = 0.125;

/**
 * Chooses what a compaction replaces, or `undefined` when there is nothing to gain. The range starts after the system
 * prompt, a short lead-in of tools before the first request and the provider's own compaction, at the latest where the
 * range begins that stands already; it ends at a border between exchanges. Task, latest request, pins, system messages
 * and calls that still wait for a result are left out. It never reaches into what the model has not answered.
 */
export function selectRange(input: StageInput, selection: RangeSelection): CompactionPlan | undefined {
  const { keepsFirstTurn } = selection;
  const first = compactionStart(input, {
    keepsFirstTurn: keepsFirstTurn && isFirstTurnSmall(input),
    leadInTokens: Math.min(
      input.measures.verbatim * leadInShare,
      input.measures.trigger * leadInTriggerShare,
    ),
  });
  const cuts = cutsOf(input, first);
  if (cuts.length === 0) return undefined;
  const planTo = plansFrom(input, first);
  const widest = planTo(cuts.at(-1) ?? first);
  const cut = chooseCut(input, { first, cuts, rule: selection.keep, roomTokens: roomFor(input, widest) });
  if (cut === undefined) return undefined;
  const plan = planTo(cut);
  return compactsAnything(input, plan) ? plan : undefined;
}

/** In an agent's run with one request the first turn is the whole history: then only the request stays. */
function isFirstTurnSmall({ view, measures }: StageInput): boolean {
  const { conversation } = view;
  const tokens = tokensBetween(conversation, Math.max(0, conversation.taskAt), firstTurnEnd(view));
  return tokens <= measures.trigger * 0.25;
}

/**
 * Where a compaction begins. Never behind the start of a range that stands: a newer range takes its place, and what it did
 * not cover would come back.
 */
export function compactionStart({ view }: StageInput, front: Front): number {
  const { conversation } = view;
  const first = firstCompactable(view, front);
  return standingRanges(view).reduce(
    (least, { anchor }) => Math.min(least, positionOf(conversation, anchor.first)),
    first,
  );
}

/** The ranges in the view that the provider's own compaction does not hide: one as a rule. */
export function standingRanges(view: View): RangeChange[] {
  const { conversation } = view;
  return rangesOf(view).filter(
    ({ anchor }) => !isHidden(conversation, positionOf(conversation, anchor.first)),
  );
}

/** The plans that compact everything from `first` up to a cut (positions). The history is gone through once for all of them. */
export function plansFrom(
  input: StageInput,
  first: number,
  { injection = input.injection, openShare = usualOpenShare }: RangeShape = {},
): (cut: number) => CompactionPlan {
  const { conversation } = input.view;
  const { taskAt, latestAt } = shownRequests(input.view);
  const notable = notableExchanges(conversation, first);
  const repeated = repeatedSystemMessages(conversation);
  const openTokens = input.measures.trigger * openShare;
  const ordinalOf = (position: number): number => conversation.entries.at(position)?.ordinal ?? -1;
  return (cut) => {
    const last = conversation.entries.at(cut - 1);
    // A message that also carries results belongs to their exchange: it goes with it, and its words go into the summary.
    const stays = (position: number): boolean =>
      position >= first && position < cut && exchangeAt(conversation, position)?.type === 'user';
    const task = stays(taskAt) ? [taskAt] : [];
    const latest = latestAt !== taskAt && stays(latestAt) ? [latestAt] : [];
    const words = new Set([...task, ...latest]);
    const staying = stayingPositions(input, { first, cut, notable, repeated, openTokens });
    return {
      first: ordinalOf(first),
      end: last ? endOf(last) : 0,
      lead: task.map(ordinalOf),
      kept: [...latest, ...staying.filter((position) => !words.has(position))]
        .toSorted(inTime)
        .map(ordinalOf),
      injection: task.length > 0 || isShownBefore(conversation, taskAt, first) ? injection : 'user',
    };
  };
}

// An order that stands in front of a request was given before it.
const inTime = (one: number, other: number): number => one - other;

/** Whether the task stands in front of the range, where the model reads it. */
function isShownBefore(conversation: Conversation, taskAt: number, first: number): boolean {
  return taskAt >= 0 && taskAt < first && !isHidden(conversation, taskAt);
}

/** What stays in front of a compaction, beside the leading system messages and the newest provider compaction. */
interface Front {
  /** The first turn. */
  readonly keepsFirstTurn: boolean;
  /** What tools have said before the first request, their instructions mostly: as long as it costs no more than this. */
  readonly leadInTokens: number;
}

/** Position after all that stays in front. */
function firstCompactable(view: View, { keepsFirstTurn, leadInTokens }: Front): number {
  const { conversation } = view;
  const isSystem = ({ type }: Exchange): boolean => type === 'system';
  const system = endOfFront(conversation, isSystem, isSystem);
  const leadIn = endOfFront(
    conversation,
    (exchange) => isSystem(exchange) || isLeadIn(conversation, exchange, isInjected),
    (exchange) => isSystem(exchange) || isLeadIn(conversation, exchange, isInstructions),
  );
  const isSmall = tokensBetween(conversation, system, leadIn) <= leadInTokens;
  const first = Math.max(isSmall ? leadIn : system, conversation.barrierAt + 1);
  return keepsFirstTurn ? Math.max(first, firstTurnEnd(view)) : first;
}

/** Behind the last of the first exchanges that stays: others may stand between those. */
function endOfFront(
  conversation: Conversation,
  belongs: (exchange: Exchange) => boolean,
  stays: (exchange: Exchange) => boolean,
): number {
  let end = 0;
  let exchange = exchangeAt(conversation, 0);
  for (; exchange && belongs(exchange); exchange = exchangeAt(conversation, exchange.end)) {
    if (stays(exchange)) ({ end } = exchange);
  }
  return end;
}

function isLeadIn(
  { entries, taskAt }: Conversation,
  { type, first }: Exchange,
  isKind: (entry: Entry) => boolean,
): boolean {
  const entry = entries.at(first);
  return type === 'user' && first < taskAt && entry !== undefined && isKind(entry);
}

/** The end of the turn that stands whole in front of every range; 0 where none does, and where no other follows it yet. */
function firstTurnEnd(view: View): number {
  const { conversation } = view;
  const { taskAt } = shownRequests(view);
  const ranges = rangesOf(view);
  const wholeEnd = ranges.reduce(
    (least, { anchor }) => Math.min(least, positionOf(conversation, anchor.first)),
    conversation.entries.length,
  );
  if (taskAt < 0 || taskAt >= wholeEnd) return 0;
  for (let position = taskAt + 1; position < wholeEnd; position += 1) {
    const entry = conversation.entries.at(position);
    if (entry && isRequest(entry)) return exchangeAt(conversation, position)?.first ?? 0;
  }
  return ranges.length > 0 ? wholeEnd : 0;
}

/** Borders between exchanges where a compaction may end, oldest first: inside what the view still shows, before the unanswered. */
export function cutsOf({ view }: StageInput, first: number): number[] {
  const { conversation } = view;
  const last = lastCut(conversation);
  const from = Math.max(first, view.tailFrom);
  const cuts: number[] = [];
  for (const exchange of newestExchanges(conversation)) {
    if (exchange.first > last) continue;
    if (exchange.first <= from) break;
    cuts.push(exchange.first);
  }
  return cuts.reverse();
}

/**
 * The start of what the model has not answered: of the exchange where its last response waits for results, of the first
 * exchange behind that response, of the last exchange where everything is answered.
 */
export function lastCut(conversation: Conversation): number {
  const { answeredEnd, entries } = conversation;
  const newest = exchangeAt(conversation, answeredEnd - 1);
  if (newest && newest.openCalls.length > 0) return newest.first;
  return exchangeAt(conversation, Math.min(answeredEnd, entries.length - 1))?.first ?? 0;
}

/** What the tail may cost beside what stays in front of it and a summary of middling size. */
function roomFor({ view, measures }: StageInput, plan: CompactionPlan): number {
  const { conversation } = view;
  const first = positionOf(conversation, plan.first);
  const before = tokensBetween(conversation, Math.max(0, conversation.barrierAt), first);
  const { words, others } = stayTokens(view, plan);
  return (
    measures.target - Math.min(words, measures.verbatim * 2) - others - before - measures.summaryLeast * 0.5
  );
}

/** What stays of a range: task and latest request, which may be truncated, and everything else. */
function stayTokens(view: View, plan: CompactionPlan): { words: number; others: number } {
  const { conversation } = view;
  const { taskAt, latestAt } = shownRequests(view);
  let words = 0;
  let others = 0;
  for (const ordinal of [...plan.lead, ...plan.kept]) {
    const position = positionOf(conversation, ordinal);
    const isWord = position === taskAt || position === latestAt;
    if (isWord) words += tokensAt(conversation, position);
    else others += tokensAt(conversation, position);
  }
  return { words, others };
}

/** Whether anything the view shows would go. */
export function compactsAnything({ view }: StageInput, plan: CompactionPlan): boolean {
  const takes = takesOut(plan);
  for (const item of view.items) if (item.type === 'entry' && takes(item.entry.ordinal)) return true;
  return false;
}
