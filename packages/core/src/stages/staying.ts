import { positionOf, unitAt } from '../transcript/conversation.ts';
import { shownIn } from '../changes/view.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { StageInput } from './stage-input.ts';
import type { Unit } from '../transcript/unit.ts';

export interface FoldReach {
  /** Positions, `[first, cut)`. */
  readonly first: number;
  readonly cut: number;
  /** Of the units from `first` on, those that may stay: see `notableUnits`. */
  readonly notable: readonly Unit[];
  /** Most that calls without a result may cost; older ones count as interrupted. */
  readonly openTokens: number;
}

/**
 * Positions inside a range that stay in the view as whole units, beside task and latest request: pins, system
 * messages, and calls whose result stands behind the range or may yet come. In order. What an earlier fold has taken does
 * not come back, and counts for nothing.
 */
export function stayingPositions(input: StageInput, reach: FoldReach): number[] {
  const { conversation } = input.view;
  const units = new Set<Unit>();
  const isShown = shownIn(input.view);
  for (const ordinal of input.pins) {
    const unit = unitAt(conversation, positionOf(conversation, ordinal));
    if (unit && unit.first >= reach.first && unit.end <= reach.cut && isShown(unit.first)) units.add(unit);
  }
  const open: Unit[] = [];
  for (const unit of reach.notable) {
    if (unit.end > reach.cut || !isShown(unit.first)) continue;
    if (unit.type === 'system') units.add(unit);
    if (unit.openCalls.length > 0) open.push(unit);
  }
  for (const unit of waitingUnits(conversation, open, { ...reach, isShown })) units.add(unit);
  return [...units].sort((a, b) => a.first - b.first).flatMap(positionsOf);
}

/** System messages, and units with calls that wait for a result, from a position on; newest first. Few, as a rule. */
export function notableUnits({ units, lastUnit }: Conversation, first: number): Unit[] {
  const notable: Unit[] = [];
  for (let index = units.length; index >= 0; index -= 1) {
    const unit = index === units.length ? lastUnit : units.at(index);
    if (!unit) continue;
    if (unit.first < first) break;
    if (unit.type === 'system' || unit.openCalls.length > 0) notable.push(unit);
  }
  return notable;
}

function positionsOf({ first, end }: Unit): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

interface ShownReach extends FoldReach {
  readonly isShown: (position: number) => boolean;
}

/** Of the units with open calls, newest first, those that cannot go without making a real result an orphan. */
function waitingUnits(conversation: Conversation, open: readonly Unit[], reach: ShownReach): Unit[] {
  if (open.length === 0) return [];
  const late = lateResults(conversation, reach);
  let leftTokens = reach.openTokens;
  return open.filter((unit) => {
    if (unit.openCalls.some(({ callId }) => late.behind.has(callId))) return true;
    if (unit.openCalls.every(({ callId }) => late.inside.has(callId))) return false;
    for (let position = unit.first; position < unit.end; position += 1)
      leftTokens -= conversation.sizes.at(position)?.tokens ?? 0;
    return leftTokens >= 0;
  });
}

/** Calls that a result outside their own unit answers: inside the range, or behind it. */
function lateResults(
  conversation: Conversation,
  { first, cut, isShown }: ShownReach,
): { inside: Set<string>; behind: Set<string> } {
  const late = { inside: new Set<string>(), behind: new Set<string>() };
  let unit = unitAt(conversation, first);
  for (; unit; unit = unitAt(conversation, unit.end)) {
    if (!isShown(unit.first)) continue;
    const callIds = new Set<string>();
    for (let position = unit.first; position < unit.end; position += 1) {
      for (const part of conversation.entries.at(position)?.parts ?? []) {
        if (part.type === 'call') callIds.add(part.callId);
        else if (part.type === 'result' && !callIds.has(part.callId))
          late[position < cut ? 'inside' : 'behind'].add(part.callId);
      }
    }
  }
  return late;
}
