import { actualTokens } from './pass.ts';
import { callOf } from '../stages/stage-input.ts';
import { costOf } from './cost-of.ts';
import { crowdedWarning, isCrowded } from './crowding.ts';
import { fixedKey } from './fixed-key.ts';
import { irreducible } from './irreducible.ts';
import { isRangeChange } from '../changes/replay.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import { seenTokens } from '../changes/view.ts';
import { toActual } from '../budget/token-scale.ts';
import type { Pass } from './pass.ts';
import type { Change } from '../changes/change.ts';
import type { Report, LadderStepName, LadderStepReport } from './report.ts';

/** What came into force in a step, and what that replaced. */
export interface ChangedHere {
  readonly changes: readonly Change[];
  readonly retired: readonly Change[];
}

/** What a step did, for display, logs and tests. */
export function reportOf(pass: Pass, { changes, retired }: ChangedHere): Report {
  const { budget, tokenScale, ladderSteps, state, skipped, policy, summariser, background } = pass;
  const before = Math.round(toActual(tokenScale, pass.startTokens));
  const final = Math.round(actualTokens(pass));
  const afterPrune = after(ladderSteps, ['truncate', 'review', 'prune']) ?? before;
  return {
    wasPruned: changes.some(isPruning),
    wasCompacted: changes.some(isRangeChange),
    tokens: { before, afterPrune, afterCompaction: after(ladderSteps, ['compact']) ?? afterPrune, final },
    windowTokens: budget.windowTokens,
    usableTokens: budget.usableTokens,
    triggerTokens: budget.triggerTokens,
    targetTokens: budget.targetTokens,
    percent: (final / budget.usableTokens) * 100,
    outputsPruned: changes.filter(({ type }) => type === 'result-pruned').length,
    // A summary counts the messages of the ones it took over too: they left the view before.
    messagesCompacted: Math.max(0, archivedBy(changes) - archivedBy(retired)),
    toolsTouched: toolsTouched(pass, changes),
    ladderSteps,
    reached: ladderSteps.at(-1)?.ladderStep ?? null,
    usage: state.usage,
    irreducible:
      ladderSteps.length > 0 || final > budget.triggerTokens ? irreducible(pass) : { tokens: 0, parts: [] },
    summariser,
    background,
    cost: costOf(pass, changes),
    skippedChanges: skipped.length,
    hasPrefixChanged: hasPrefixChanged(pass),
    warnings: warningsOf(pass),
    pinned: (policy.pins ?? []).map(messageRecallId),
  };
}

function isPruning({ type, reason }: Change): boolean {
  return type === 'result-pruned' || type === 'arguments-pruned' || reason === 'reviewed';
}

function archivedBy(changes: readonly Change[]): number {
  return changes.filter(isRangeChange).reduce((sum, { summary }) => sum + summary.archivedMessages, 0);
}

function after(
  ladderSteps: readonly LadderStepReport[],
  names: readonly LadderStepName[],
): number | undefined {
  return ladderSteps.findLast(({ ladderStep }) => names.includes(ladderStep))?.afterTokens;
}

function toolsTouched({ transcript: { conversation }, view }: Pass, changes: readonly Change[]): string[] {
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

function warningsOf(pass: Pass): string[] {
  const { view, budget, tokenScale, measures } = pass;
  const warnings: string[] = [];
  const crowded = hasRunLadder(pass) ? crowdedWarning(pass) : undefined;
  if (crowded !== undefined) warnings.push(crowded);
  // Where there is hardly any room, that was said, and what to do about it.
  if (hasRunLadder(pass) && !isCrowded(pass) && seenTokens(view) > measures.target) {
    const [target, seen] = [measures.target, seenTokens(view)].map((tokens) =>
      Math.round(toActual(tokenScale, tokens)),
    );
    warnings.push(`The target of ${target} tokens could not be reached: ${seen} tokens are left.`);
  }
  const final = Math.round(actualTokens(pass));
  if (final > budget.triggerTokens) {
    warnings.push(`The request measures ${final} tokens, above the trigger of ${budget.triggerTokens}.`);
  }
  if (hasPrefixChanged(pass)) {
    warnings.push(
      'The system text or the tools are not those of the last request: the cache of the prefix is lost. Put what changes into the conversation.',
    );
  }
  return warnings;
}

/** Whether more was done than to cut new results and to prune old ones, which has another aim at the end of a run. */
export function hasRunLadder({ ladderSteps }: Pass): boolean {
  return ladderSteps.some(({ ladderStep }) => ladderStep === 'compact' || ladderStep === 'fit');
}

/** Compaction never touches what stands in front: somebody else does. */
function hasPrefixChanged({ state, transcript }: Pass): boolean {
  return state.fixedKey !== null && state.fixedKey !== fixedKey(transcript);
}
