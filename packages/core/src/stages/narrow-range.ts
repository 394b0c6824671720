import { chooseCut } from './choose-cut.ts';
import { collectSummary } from '../summary/collect-summary.ts';
import { cutsOf, compactsAnything, compactionStart, planAt, standingRanges } from './select-range.ts';
import { droppedRangeText } from '../summary/placeholder.ts';
import {
  keptLimits,
  rangeAnchor,
  rangeFrameTokens,
  shownInRange,
  smallestSummaryTokens,
  summarised,
  summaryLimits,
  summaryRoom,
  summarySource,
} from './compact-range.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import { seenTokens } from '../changes/view.ts';
import type { Change, RangeChange } from '../changes/change.ts';
import type { CompactionPlan } from './select-range.ts';
import type { StageInput } from './stage-input.ts';
import type { Summary } from '../transcript/summary.ts';

/**
 * Drops the oldest exchanges of the tail until what the model has seen is at `targetTokens`, or nothing but the
 * unanswered is left. Their facts, files and user messages go into the summary; its prose stays.
 */
export function narrowRange(input: StageInput, targetTokens: number): readonly Change[] {
  const range = shownRange(input);
  const { conversation, tailFrom } = input.view;
  const widest = compactionStart(input, { keepsFirstTurn: false, leadInTokens: 0 });
  const standing = range ? positionOf(conversation, range.anchor.first) : widest;
  const tailTokens = tailOf(input);
  const room = targetTokens - (seenTokens(input.view) - tailTokens);
  // A first turn that was left standing in front of the range goes too where the tail alone cannot make room.
  const first = room < 0 ? widest : standing;
  const found = cutsOf(input, first);
  const cuts = found.length === 0 && first < standing ? [tailFrom] : found;
  const cut = chooseCut(input, { first, cuts, rule: { type: 'fill' }, roomTokens: room });
  if (cut === undefined) return [];
  const plan = planAt(input, first, cut, {
    keep: { type: 'fill' },
    keepsFirstTurn: false,
    injection: range?.injection ?? 'pair',
    // Where not even that makes room, calls without a result go too.
    ...(room < 0 ? { openShare: 0 } : {}),
  });
  if (!compactsAnything(input, plan)) return [];
  return [rewritten(input, plan, range, summaryTextTokens(input, plan, targetTokens))];
}

/** What the view shows behind the compacted range, without what the model has not seen. */
function tailOf({ view }: StageInput): number {
  let tokens = 0;
  for (let index = view.items.length - 1; index >= 0; index -= 1) {
    const item = view.items.at(index);
    if (item?.type !== 'entry' || item.position < view.tailFrom) break;
    if (item.position < view.conversation.answeredEnd) tokens += item.tokens;
  }
  return tokens;
}

/** What the summary may cost: its share, or what is left of it under the target. */
function summaryTextTokens(input: StageInput, plan: CompactionPlan, targetTokens: number): number {
  const rest = seenTokens(input.view) - shownInRange(input, plan);
  const left = Math.max(targetTokens - rest, input.measures.trigger * 0.05);
  return left;
}

/** Renders the summary again with less room; without any, one line takes its place. */
export function shrinkSummary(
  input: StageInput,
  targetTokens: number,
  leastTokens: number,
): readonly Change[] {
  const range = shownRange(input);
  if (!range || range.type === 'range-dropped') return [];
  const { first, end, lead, kept } = range.anchor;
  const plan = { first, end, lead, kept, injection: range.injection };
  const excess = seenTokens(input.view) - targetTokens;
  const shownTokens = range.afterTokens - rangeFrameTokens(input, plan);
  const room = Math.max(leastTokens, shownTokens - excess);
  if (room >= shownTokens) return [];
  return [rewritten(input, plan, range, room)];
}

/** The range that stands in the view. */
function shownRange({ view }: StageInput): RangeChange | undefined {
  return standingRanges(view).at(-1);
}

function rewritten(
  input: StageInput,
  plan: CompactionPlan,
  range: RangeChange | undefined,
  totalTokens: number,
): RangeChange {
  const source = summarySource(input, { plan });
  const limits = summaryLimits(
    input,
    Infinity,
    summaryRoom(input.measures, Math.max(smallestSummaryTokens, totalTokens)),
  );
  const collected = collectSummary(source, keptLimits(input, limits));
  const summary: Summary = range
    ? {
        ...collected,
        round: range.summary.round,
        prose: range.summary.prose,
        proseBy: range.summary.proseBy,
        proseEnd: range.summary.proseEnd,
        profile: range.summary.profile,
      }
    : { ...collected, prose: '', proseBy: 'none', proseEnd: -1, profile: 'coding' };
  return totalTokens < smallestSummaryTokens && !hasRoomForSummary(input, plan)
    ? dropped(input, plan, summary)
    : summarised(input, { plan, summary, source, limits });
}

/** Whether the smallest summary fits the window: one line stands in its place only where it does not. */
function hasRoomForSummary(input: StageInput, plan: CompactionPlan): boolean {
  const rest = input.view.tokens - shownInRange(input, plan);
  return rest + smallestSummaryTokens + rangeFrameTokens(input, plan) <= input.measures.usable;
}

function dropped(input: StageInput, plan: CompactionPlan, summary: Summary): RangeChange {
  const { conversation } = input.view;
  const beforeTokens = shownInRange(input, plan);
  const text = droppedRangeText({
    firstRecallId: messageRecallId(plan.first),
    lastRecallId: messageRecallId(plan.end - 1),
    messages: plan.end - plan.first - plan.lead.length - plan.kept.length,
    tokens: beforeTokens,
    hasRecall: input.hasRecall,
  });
  return {
    type: 'range-dropped',
    anchor: rangeAnchor(conversation, plan),
    text,
    injection: plan.injection,
    summary,
    reason: 'space',
    recallId: messageRecallId(plan.first),
    beforeTokens,
    afterTokens: input.estimator.count(text) + rangeFrameTokens(input, plan),
  };
}
