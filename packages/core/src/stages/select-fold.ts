import { chooseCut } from './choose-cut.ts';
import { isRequest, positionOf, tokensBetween, unitAt } from '../transcript/conversation.ts';
import type { Injection } from '../changes/change.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { KeepRule } from './keep-rule.ts';
import type { StageInput } from './stage-input.ts';

export interface FoldSelection {
  readonly keep: KeepRule;
  /** The whole first turn stays, not only the first request. */
  readonly keepsFirstTurn: boolean;
  /** Where the summary goes if there is a request it can follow. */
  readonly injection: Injection;
}

/** Which messages a fold replaces: ordinals, so that it survives being stored. */
export interface FoldPlan {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  readonly lead: readonly number[];
  readonly kept: readonly number[];
  readonly injection: Injection;
}

/**
 * Chooses what a fold replaces, or `undefined` when there is nothing to gain. The range starts after the system prompt
 * and the provider's own compaction, ends at a border between units, and leaves out the task, the latest request and
 * the pins. It never reaches into what the model has not answered.
 */
export function selectFold(input: StageInput, selection: FoldSelection): FoldPlan | undefined {
  const { conversation } = input.view;
  const first = firstFoldable(conversation, selection.keepsFirstTurn && isFirstTurnSmall(input));
  const cuts = cutsOf(input, first);
  if (cuts.length === 0) return undefined;
  const widest = planAt(input, first, cuts.at(-1) ?? first, selection);
  const cut = chooseCut(input, cuts, selection.keep, roomFor(input, widest));
  const plan = planAt(input, first, cut, selection);
  return foldsAnything(input, plan) ? plan : undefined;
}

/** In an agent's run with one request the first turn is the whole history: then only the request stays. */
function isFirstTurnSmall({ view: { conversation }, measures }: StageInput): boolean {
  const tokens = tokensBetween(conversation, Math.max(0, conversation.taskAt), firstTurnEnd(conversation));
  return tokens <= measures.trigger * 0.25;
}

/** The plan that folds everything up to `cut` (a position). */
export function planAt(input: StageInput, first: number, cut: number, selection: FoldSelection): FoldPlan {
  const { conversation } = input.view;
  const { taskAt, latestAt } = conversation;
  const ordinalOf = (position: number): number => conversation.entries.at(position)?.ordinal ?? -1;
  // A message that also carries results belongs to their group: it goes with it, and its words go into the record.
  const stays = (position: number): boolean =>
    position >= first && position < cut && unitAt(conversation, position)?.type === 'user';
  const task = stays(taskAt) ? [taskAt] : [];
  const latest = latestAt !== taskAt && stays(latestAt) ? [latestAt] : [];
  const pins = pinnedPositions(input, first, cut).filter(
    (position) => ![...task, ...latest].includes(position),
  );
  const canFollow = task.length > 0 || (taskAt >= 0 && taskAt < first);
  return {
    first: ordinalOf(first),
    end: ordinalOf(cut - 1) + 1,
    lead: task.map(ordinalOf),
    kept: [...latest, ...pins].map(ordinalOf),
    injection: canFollow ? selection.injection : 'user',
  };
}

/** Pinned messages stay as whole units. */
function pinnedPositions(input: StageInput, first: number, cut: number): number[] {
  const { conversation } = input.view;
  const positions = new Set<number>();
  for (const ordinal of input.pins) {
    const unit = unitAt(conversation, positionOf(conversation, ordinal));
    if (!unit || unit.first < first || unit.end > cut) continue;
    for (let position = unit.first; position < unit.end; position += 1) positions.add(position);
  }
  return [...positions].sort((a, b) => a - b);
}

/** Position after the leading system messages, the newest provider compaction and, where it stays, the first turn. */
export function firstFoldable(conversation: Conversation, keepsFirstTurn: boolean): number {
  let first = 0;
  const { units, lastUnit } = conversation;
  for (let index = 0; index <= units.length; index += 1) {
    const unit = units.at(index) ?? lastUnit;
    if (unit?.type !== 'system') break;
    first = unit.end;
  }
  first = Math.max(first, barrierEnd(conversation));
  return keepsFirstTurn ? Math.max(first, firstTurnEnd(conversation)) : first;
}

function barrierEnd({ units, lastUnit }: Conversation): number {
  if (lastUnit?.type === 'barrier') return lastUnit.end;
  for (let index = units.length - 1; index >= 0; index -= 1) {
    const unit = units.at(index);
    if (unit?.type === 'barrier') return unit.end;
  }
  return 0;
}

function firstTurnEnd(conversation: Conversation): number {
  for (let position = conversation.taskAt + 1; position < conversation.entries.length; position += 1) {
    const entry = conversation.entries.at(position);
    if (entry && isRequest(entry)) return unitAt(conversation, position)?.first ?? 0;
  }
  return 0;
}

/** Borders between units where a fold may end, oldest first: inside what the view still shows, before the unanswered. */
export function cutsOf({ view }: StageInput, first: number): number[] {
  const { conversation } = view;
  const last = lastCut(conversation);
  const from = Math.max(first, view.tailFrom);
  const cuts: number[] = [];
  for (let index = conversation.units.length; index >= 0; index -= 1) {
    const unit = index === conversation.units.length ? conversation.lastUnit : conversation.units.at(index);
    if (!unit || unit.first > last) continue;
    if (unit.first <= from) break;
    cuts.push(unit.first);
  }
  return cuts.reverse();
}

/** The start of the unit that the model has not answered; of the last unit where it answered everything. */
export function lastCut(conversation: Conversation): number {
  const position = Math.min(conversation.answeredEnd, conversation.entries.length - 1);
  return unitAt(conversation, position)?.first ?? 0;
}

/** What the tail may cost beside what stays in front of it and a summary of middling size. */
function roomFor({ view: { conversation }, measures }: StageInput, plan: FoldPlan): number {
  const stay = [...plan.lead, ...plan.kept].reduce((sum, ordinal) => sum + sizeOf(conversation, ordinal), 0);
  const before = tokensBetween(conversation, 0, positionOf(conversation, plan.first));
  return measures.low - Math.min(stay, measures.verbatim * 2) - before - measures.summaryMessage * 0.5;
}

function sizeOf(conversation: Conversation, ordinal: number): number {
  return conversation.sizes.at(positionOf(conversation, ordinal))?.tokens ?? 0;
}

/** Whether anything the view shows would go. */
export function foldsAnything({ view }: StageInput, plan: FoldPlan): boolean {
  const stays = new Set([...plan.lead, ...plan.kept]);
  for (const item of view.items) {
    if (item.type !== 'entry') continue;
    const { ordinal } = item.entry;
    if (ordinal >= plan.end) return false;
    if (ordinal >= plan.first && !stays.has(ordinal)) return true;
  }
  return false;
}
