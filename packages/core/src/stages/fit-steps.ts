import { pruneParts } from './prune-parts.ts';
import type { StageInput, ViewPart } from './stage-input.ts';
import { editableItems, partChangeBase, partsOf } from './stage-input.ts';
import { narrowRange, shrinkSummary } from './narrow-range.ts';
import { seenTokens, unseenTokens } from '../changes/view.ts';
import { shownRequests } from '../changes/shown-requests.ts';
import { shrinkParts } from './shrink-parts.ts';
import type { Change, PartLevelChange } from '../changes/change.ts';

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
 * Ladder step 4, model-free and unconditional, in the order of what hurts least. Each step runs once, and only while the view
 * is still too large. Together they leave nothing but the irreducible part and a line that says what was left out.
 */
export const fitSteps: readonly FitStep[] = [
  { name: 'truncated task and request', isNeeded: isAboveEither, run: truncateWords },
  {
    name: 'pruned the tail',
    isNeeded: isAboveEither,
    run: (input) =>
      pruneParts(input, {
        targetTokens: seenTarget(input),
        keep: { turns: 0, newest: 0, most: 0 },
        leastGainTokens: 0,
        onlyIfEnough: false,
      }),
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
