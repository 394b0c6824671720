import { chooseCut, Tail } from './choose-cut.ts';
import { collectSummary } from '../summary/collect-summary.ts';
import { cutsOf, compactsAnything, compactionStart, plansFrom, standingRanges } from './select-range.ts';
import { droppedRangeText } from '../summary/placeholder.ts';
import {
  keptLimits,
  rangeAnchor,
  rangeFrameTokens,
  summarised,
  summaryLimits,
  summarySource,
} from './compact-range.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import { seenTokens, unseenTokens, shownRequests } from '../changes/view.ts';
import { editableItems, partChangeBase, partsOf } from './stage-input.ts';
import { pruneParts } from './prune-parts.ts';
import { shrinkParts, shrinkPasted } from './shrink-parts.ts';
import type { RangeSource } from './compact-range.ts';
import type { CompactionPlan } from './select-range.ts';
import type { StageInput, ViewPart } from './stage-input.ts';
import type { Change, RangeChange, PartLevelChange } from '../changes/change.ts';
import type { Summary } from '../transcript/summary.ts';

interface FitStep {
  readonly name: string;
  /** Whether the step is still needed. */
  isNeeded(input: StageInput): boolean;
  run(input: StageInput): readonly Change[];
}

/**
 * What the whole view may cost: the trigger; more only where a large new request stands on top of what the model has
 * seen, and then at most what is usable.
 */
function ceilingOf({ view, measures }: StageInput): number {
  return Math.max(measures.trigger, Math.min(measures.usable, measures.target + unseenTokens(view)));
}

/** What the seen part must come down to so that the whole view is below its ceiling too. */
function seenTarget(input: StageInput): number {
  return Math.min(input.measures.target, ceilingOf(input) - unseenTokens(input.view));
}

const isAboveCeiling = (input: StageInput): boolean => input.view.tokens > ceilingOf(input);
const isAboveEither = (input: StageInput): boolean => seenTokens(input.view) > seenTarget(input);

/**
 * How a view is made to fit: without a model and without conditions, in the order of what hurts least. Each step runs
 * once, and only while the view is still too large. Together they leave nothing but the irreducible part and a line that says what was left out.
 */
export const fitSteps: readonly FitStep[] = [
  { name: 'truncated files in the task and request', isNeeded: isAboveEither, run: truncatePasted },
  { name: 'truncated task and request', isNeeded: isAboveEither, run: truncateWords },
  {
    name: 'pruned the tail',
    isNeeded: isAboveEither,
    run: (input) =>
      pruneParts(input, { targetTokens: seenTarget(input), keep: { turns: 0, newest: 0, most: 0 } }),
  },
  {
    name: 'dropped the oldest exchanges',
    isNeeded: isAboveEither,
    run: (input) => narrowRange(input, seenTarget(input)),
  },
  {
    name: 'a shorter summary',
    isNeeded: isAboveEither,
    run: (input) => shrinkSummary(input, seenTarget(input), input.measures.summaryLeast * 0.7),
  },
  { name: 'stripped media', isNeeded: isAboveCeiling, run: shrink(({ part }) => part.type === 'media') },
  { name: 'dropped reasoning', isNeeded: isAboveCeiling, run: dropReasoning },
  { name: 'truncated results', isNeeded: isAboveCeiling, run: shrink(({ part }) => part.type === 'result') },
  { name: 'truncated messages', isNeeded: isAboveCeiling, run: truncateTexts },
  {
    name: 'the shortest summary',
    isNeeded: isAboveCeiling,
    run: (input) => shrinkSummary(input, ceilingOf(input) - unseenTokens(input.view), 0),
  },
];

function shrink(pick: (view: ViewPart) => boolean): (input: StageInput) => readonly Change[] {
  return (input) => shrinkParts(input, ceilingOf(input), pick);
}

/** Every text but the task and the latest request. */
function truncateTexts(input: StageInput): readonly Change[] {
  const { taskAt, latestAt } = shownRequests(input.view);
  return shrink(
    ({ part, item }) => part.type === 'text' && item.position !== taskAt && item.position !== latestAt,
  )(input);
}

/** What the view shows of a message's text now: media are not its words, and what was truncated before is not counted. */
function shownWords(input: StageInput, position: number): number {
  for (const item of editableItems(input)) {
    if (item.position !== position) continue;
    const words = partsOf(input, item).filter(({ part }) => part.type === 'text');
    return words.reduce((sum, { tokens }) => sum + tokens, 0);
  }
  return 0;
}

/** Before any of their words goes. */
function truncatePasted(input: StageInput): readonly Change[] {
  const { taskAt, latestAt } = shownRequests(input.view);
  return [...new Set([taskAt, latestAt])].flatMap((position) =>
    shrinkPasted(input, position, input.measures.verbatim),
  );
}

// Of what a compaction comes down to: the rest is for its summary and the newest messages.
const pastedShare = 0.25;

/**
 * Truncates what clients have put into the task and the latest request, and their long listings, where they would leave a
 * compaction little room. Nothing of what the model has not answered.
 */
export function truncateSeenPasted(input: StageInput): readonly Change[] {
  const { taskAt, latestAt } = shownRequests(input.view);
  return [...new Set([taskAt, latestAt])]
    .filter((position) => position < input.view.conversation.answeredEnd)
    .flatMap((position) => shrinkPasted(input, position, input.measures.target * pastedShare));
}

/** The task and the latest request stay verbatim up to their share; beyond it head and tail are shown. */
function truncateWords(input: StageInput): readonly Change[] {
  const { tokens } = input.view;
  const { taskAt, latestAt } = shownRequests(input.view);
  const changes: (readonly Change[])[] = [];
  for (const position of new Set([taskAt, latestAt])) {
    const excess = shownWords(input, position) - input.measures.verbatim;
    if (excess <= 0) continue;
    const isPart = (view: ViewPart): boolean => view.item.position === position && view.part.type === 'text';
    changes.push(shrinkParts(input, tokens - excess, isPart));
  }
  return changes.flat();
}

/**
 * Drops reasoning, whole. That of the newest response stays where it is signed: a provider that checks signatures
 * wants it in front of the calls that are being answered. Reasoning that belongs to the item after it stays with it.
 */
function dropReasoning(input: StageInput): PartLevelChange[] {
  const changes: PartLevelChange[] = [];
  for (const item of editableItems(input)) {
    for (const view of partsOf(input, item)) {
      if (isDroppable(input, view))
        changes.push({ type: 'reasoning-dropped', ...partChangeBase(view, 'space', 0) });
    }
  }
  return changes;
}

function isDroppable(input: StageInput, { item, part, change }: ViewPart): boolean {
  if (part.type !== 'reasoning' || change !== undefined || part.binding === 'next-item') return false;
  const isNewest = item.position >= (input.view.conversation.lastExchange?.first ?? 0);
  return part.binding === undefined || !isNewest;
}

/**
 * Drops the oldest exchanges of the tail until what the model has seen is at `targetTokens`, or nothing but the
 * unanswered is left. Their facts, files and user messages go into the summary; its prose stays.
 */
function narrowRange(input: StageInput, targetTokens: number): readonly Change[] {
  const range = shownRange(input);
  const { conversation, tailFrom } = input.view;
  const widest = compactionStart(input, { keepsFirstTurn: false, leadInTokens: 0 });
  const standing = range ? positionOf(conversation, range.anchor.first) : widest;
  const tailTokens = new Tail(input.view).tokensFrom(tailFrom);
  const room = targetTokens - (seenTokens(input.view) - tailTokens);
  // A first turn that was left standing in front of the range goes too where the tail alone cannot make room.
  const first = room < 0 ? widest : standing;
  const found = cutsOf(input, first);
  const cuts = found.length === 0 && first < standing ? [tailFrom] : found;
  const cut = chooseCut(input, { first, cuts, rule: { type: 'fill' }, roomTokens: room });
  if (cut === undefined) return [];
  const plan = plansFrom(input, first, {
    injection: range?.injection ?? 'pair',
    // Where not even that makes room, calls without a result go too.
    ...(room < 0 ? { openShare: 0 } : {}),
  })(cut);
  if (!compactsAnything(input, plan)) return [];
  const source = summarySource(input, { plan });
  const rest = seenTokens(input.view) - source.shownTokens;
  const left = Math.max(targetTokens - rest, input.measures.trigger * 0.05);
  return [rewritten(input, { plan, range, source }, left)];
}

/** Renders the summary again with less room; without any, one line takes its place. */
function shrinkSummary(input: StageInput, targetTokens: number, leastTokens: number): readonly Change[] {
  const range = shownRange(input);
  if (!range || range.type === 'range-dropped') return [];
  const { first, end, lead, kept } = range.anchor;
  const plan = { first, end, lead, kept, injection: range.injection };
  const excess = seenTokens(input.view) - targetTokens;
  const shownTokens = range.afterTokens - rangeFrameTokens(input, plan);
  const room = Math.max(leastTokens, shownTokens - excess);
  if (room >= shownTokens) return [];
  return [rewritten(input, { plan, range, source: summarySource(input, { plan }) }, room)];
}

/** The range that stands in the view. */
function shownRange({ view }: StageInput): RangeChange | undefined {
  return standingRanges(view).at(-1);
}

interface Rewriting {
  readonly plan: CompactionPlan;
  /** The range that it takes the place of. */
  readonly range: RangeChange | undefined;
  readonly source: RangeSource;
}

/** A summary shorter than this says nothing. */
const smallestSummaryTokens = 120;

function rewritten(input: StageInput, from: Rewriting, totalTokens: number): RangeChange {
  const { plan, range, source } = from;
  const limits = summaryLimits(input, Math.max(smallestSummaryTokens, totalTokens));
  const collected = collectSummary(source, keptLimits(input, limits));
  // Nothing is said anew: the prose, and the round it was written in, are those of the range that stood.
  const { round, prose, proseBy, proseEnd, profile } = range?.summary ?? collected;
  const summary: Summary = { ...collected, round, prose, proseBy, proseEnd, profile };
  return totalTokens < smallestSummaryTokens && !hasRoomForSummary(input, from)
    ? dropped(input, from, summary)
    : summarised(input, { plan, summary, source, limits });
}

/** Whether the smallest summary fits the window: one line stands in its place only where it does not. */
function hasRoomForSummary(input: StageInput, { plan, source }: Rewriting): boolean {
  const rest = input.view.tokens - source.shownTokens;
  return rest + smallestSummaryTokens + rangeFrameTokens(input, plan) <= input.measures.usable;
}

function dropped(input: StageInput, { plan, source }: Rewriting, summary: Summary): RangeChange {
  const { conversation } = input.view;
  const beforeTokens = source.shownTokens;
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
