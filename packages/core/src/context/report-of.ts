import { actualTokens } from './attempt.ts';
import { callOf } from '../stages/call-of.ts';
import { costOf } from './cost-of.ts';
import { crowdedWarning, isCrowded } from './crowding.ts';
import { fixedKey } from './fixed-key.ts';
import { irreducible } from './irreducible.ts';
import { isRangeChange } from '../changes/replay.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import { seenTokens } from '../changes/view.ts';
import { toActual } from '../budget/gauge.ts';
import type { Attempt } from './attempt.ts';
import type { Change } from '../changes/change.ts';
import type { Report, RungName, RungReport } from './report.ts';

/** What came into force in a step, and what that replaced. */
export interface ChangedHere {
  readonly changes: readonly Change[];
  readonly retired: readonly Change[];
}

/** What a step did, for display, logs and tests. */
export function reportOf(attempt: Attempt, { changes, retired }: ChangedHere): Report {
  const { budget, gauge, rungs, state, skipped, policy, summariser, background } = attempt;
  const before = Math.round(toActual(gauge, attempt.startTokens));
  const final = Math.round(actualTokens(attempt));
  const afterPrune = after(rungs, ['truncate', 'review', 'clear']) ?? before;
  return {
    wasPruned: changes.some(isPruning),
    wasCompacted: changes.some(isRangeChange),
    tokens: { before, afterPrune, afterCompaction: after(rungs, ['fold']) ?? afterPrune, final },
    windowTokens: budget.windowTokens,
    usableTokens: budget.usableTokens,
    triggerTokens: budget.triggerTokens,
    lowTokens: budget.lowTokens,
    percent: (final / budget.usableTokens) * 100,
    outputsPruned: changes.filter(({ type }) => type === 'result-cleared').length,
    // A record counts the messages of the ones it took over too: they left the view before.
    messagesCompacted: Math.max(0, archivedBy(changes) - archivedBy(retired)),
    toolsTouched: toolsTouched(attempt, changes),
    rungs,
    reached: rungs.at(-1)?.rung ?? null,
    usage: state.usage,
    irreducible:
      rungs.length > 0 || final > budget.triggerTokens ? irreducible(attempt) : { tokens: 0, parts: [] },
    summariser,
    background,
    cost: costOf(attempt, changes),
    skippedChanges: skipped.length,
    hasPrefixChanged: hasPrefixChanged(attempt),
    warnings: warningsOf(attempt),
    pinned: (policy.pins ?? []).map(messageRecallId),
  };
}

function isPruning({ type, reason }: Change): boolean {
  return type === 'result-cleared' || type === 'arguments-cleared' || reason === 'reviewed';
}

function archivedBy(changes: readonly Change[]): number {
  return changes.filter(isRangeChange).reduce((sum, { record }) => sum + record.archivedMessages, 0);
}

function after(rungs: readonly RungReport[], names: readonly RungName[]): number | undefined {
  return rungs.findLast(({ rung }) => names.includes(rung))?.afterTokens;
}

function toolsTouched({ transcript: { conversation }, view }: Attempt, changes: readonly Change[]): string[] {
  const names = new Set<string>();
  for (const change of changes) {
    if (isRangeChange(change)) continue;
    const position = positionOf(conversation, change.anchor.ordinal);
    const part = conversation.entries.at(position)?.parts[change.anchor.part];
    if (part?.type === 'call') names.add(part.name);
    if (part?.type === 'result') names.add(part.name ?? callOf(view, position, part)?.name ?? '');
  }
  names.delete('');
  return [...names].sort();
}

function warningsOf(attempt: Attempt): string[] {
  const { view, budget, gauge, measures } = attempt;
  const warnings: string[] = [];
  const crowded = wasClimbed(attempt) ? crowdedWarning(attempt) : undefined;
  if (crowded !== undefined) warnings.push(crowded);
  // Where there is hardly any room, that was said, and what to do about it.
  if (wasClimbed(attempt) && !isCrowded(attempt) && seenTokens(view) > measures.low) {
    const [low, seen] = [measures.low, seenTokens(view)].map((tokens) => Math.round(toActual(gauge, tokens)));
    warnings.push(`The low mark of ${low} tokens could not be reached: ${seen} tokens are left.`);
  }
  const final = Math.round(actualTokens(attempt));
  if (final > budget.triggerTokens) {
    warnings.push(`The request measures ${final} tokens, above the trigger of ${budget.triggerTokens}.`);
  }
  if (hasPrefixChanged(attempt)) {
    warnings.push(
      'The system text or the tools are not those of the last request: the cache of the prefix is lost. Put what changes into the conversation.',
    );
  }
  return warnings;
}

/** Whether more was done than to cut new results and to clear old ones, which has another aim at the end of a run. */
export function wasClimbed({ rungs }: Attempt): boolean {
  return rungs.some(({ rung }) => rung === 'fold' || rung === 'fit');
}

/** Compaction never touches what stands in front: somebody else does. */
function hasPrefixChanged({ state, transcript }: Attempt): boolean {
  return state.fixedKey !== null && state.fixedKey !== fixedKey(transcript);
}
