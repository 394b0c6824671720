import { toActual } from '../budget/measures.ts';
import { isRangeChange } from '../changes/change.ts';
import { seenTokens, unseenTokens } from '../changes/view.ts';
import { fixedKey } from '../history/transcript.ts';
import { isCacheCold, priceRequest } from '../models/prices.ts';
import { crowdedWarning, irreducible, isCrowdedBeside } from './irreducible.ts';
import { requestTokens } from './pass.ts';
import { callOf } from '../stages/stage-input.ts';
import { positionOf } from '../transcript/conversation.ts';
import { messageRecallId } from '../transcript/entry.ts';
import type { Change } from '../changes/change.ts';
import type { Pricing } from '../models/prices.ts';
import type { Pass } from './pass.ts';
import type { LadderStepName, LadderStepReport, PassCost, Report, SummariserWork } from './report.ts';

/** What came into force in a step, and what that replaced. */
interface ChangedHere {
  readonly changes: readonly Change[];
  readonly retired: readonly Change[];
}

/** What a step did, for display, logs and tests. */
export function reportOf(pass: Pass, { changes, retired }: ChangedHere): Report {
  const { budget, tokenScale, ladderSteps, state, skipped, policy, summariser, background } = pass;
  const before = Math.floor(toActual(tokenScale, pass.startTokens));
  const final = requestTokens(pass);
  const afterPrune = after(ladderSteps, ['truncate', 'review', 'prune']) ?? before;
  return {
    wasPruned: changes.some(isPruning),
    wasCompacted: changes.some(isRangeChange),
    tokens: { before, afterPrune, afterCompaction: after(ladderSteps, ['compact']) ?? afterPrune, final },
    windowTokens: budget.windowTokens,
    usableTokens: budget.usableTokens,
    triggerTokens: budget.triggerTokens,
    targetTokens: pass.targetTokens,
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
  const isToldOfRoom = crowded !== undefined || isCrowdedBeside(pass);
  if (hasRunLadder(pass) && !isToldOfRoom && seenTokens(view) > measures.target) {
    const [target, seen] = [measures.target, seenTokens(view)].map((tokens) =>
      Math.round(toActual(tokenScale, tokens)),
    );
    warnings.push(`The target of ${target} tokens could not be reached: ${seen} tokens are left.`);
  }
  const final = requestTokens(pass);
  if (final > budget.triggerTokens) {
    warnings.push(`The request measures ${final} tokens, above the trigger of ${budget.triggerTokens}.`);
  }
  const answer = answerWarning(pass);
  if (answer !== undefined) warnings.push(answer);
  if (hasPrefixChanged(pass)) {
    warnings.push(
      'The system text or the tools are not those of the last request: the cache of the prefix is lost. Put what changes into the conversation.',
    );
  }
  return warnings;
}

/** Said in the first step and where room has to be made: as long as the prompt is small, there is room all the same. */
function answerWarning(pass: Pass): string | undefined {
  const { state, policy, budget } = pass;
  const { requestMaxTokens = 0, outputReserveTokens } = policy.budget;
  const isFirst = state.fixedKey === null;
  if (outputReserveTokens !== undefined || requestMaxTokens <= budget.outputReserveTokens) return undefined;
  if (!isFirst && !hasRunLadder(pass)) return undefined;
  return `The answer may take ${requestMaxTokens} tokens (budget.requestMaxTokens), but only ${budget.outputReserveTokens} of the window of ${budget.windowTokens} are kept free for it: a long prompt and a long answer together would exceed the window. Set budget.outputReserveTokens to keep more.`;
}

/** Whether more was done than to cut new results and to prune old ones, which has another aim at the end of a run. */
export function hasRunLadder({ ladderSteps }: Pass): boolean {
  return ladderSteps.some(({ ladderStep }) => ladderStep === 'compact' || ladderStep === 'fit');
}

/** Compaction never touches what stands in front: somebody else does. */
function hasPrefixChanged({ state, transcript }: Pass): boolean {
  return state.fixedKey !== null && state.fixedKey !== fixedKey(transcript);
}

/** The cost of what was done to the view in this step; `null` where nothing was, or where no prices are known. */
function costOf(pass: Pass, changes: readonly Change[]): PassCost | null {
  const { pricing, summariser: asked } = pass.policy;
  const added = new Set(changes.filter(({ reason }) => reason !== 'truncation'));
  if (!pricing || added.size === 0) return null;
  const { tokenScale, view } = pass;
  const before = toActual(tokenScale, pass.startTokens);
  const after = toActual(tokenScale, view.tokens);
  // What the provider's cache holds of the request as it was, and of the one that goes out now.
  const isCold = isCacheCold(pricing, pass.idleMs);
  const former = isCold ? 0 : before - tokenScale.slope * unseenTokens(view);
  const kept = isCold ? 0 : toActual(tokenScale, tokensBeforeFirst(view, added));
  const rewriteUsd =
    priceRequest(pricing, { inputTokens: after, cachedTokens: kept }) -
    priceRequest(pricing, { inputTokens: before, cachedTokens: former });
  const perStep = { inputTokens: before - after, cachedTokens: before - after };
  const summariserPricing = (asked?.type === 'model' ? asked.pricing : undefined) ?? pricing;
  const summariserUsd = priceOfWork(pass.summariser, summariserPricing, pricing);
  return costed(rewriteUsd, summariserUsd, priceRequest(pricing, perStep));
}

function priceOfWork(work: SummariserWork, alone: Pricing, session: Pricing): number {
  const { cachedPrefixUsage = { inputTokens: 0, outputTokens: 0 } } = work;
  const rest = {
    inputTokens: work.inputTokens - cachedPrefixUsage.inputTokens,
    outputTokens: work.outputTokens - cachedPrefixUsage.outputTokens,
  };
  return priceRequest(alone, rest) + priceRequest(session, cachedPrefixUsage);
}

function costed(rewriteUsd: number, summariserUsd: number, savedPerStepUsd: number): PassCost {
  const spentUsd = rewriteUsd + summariserUsd;
  const steps = spentUsd <= 0 ? 0 : savedPerStepUsd > 0 ? Math.ceil(spentUsd / savedPerStepUsd) : null;
  return { rewriteUsd, summariserUsd, savedPerStepUsd, breakEvenSteps: steps };
}

/** Estimated tokens of the view before the first message that one of these changes touches. */
function tokensBeforeFirst({ items }: Pass['view'], added: ReadonlySet<Change>): number {
  let tokens = 0;
  for (const item of items) {
    const isTouched =
      item.type === 'synthetic' ? added.has(item.change) : item.changes.some((one) => added.has(one));
    if (isTouched) return tokens;
    tokens += item.tokens;
  }
  return tokens;
}

/**
 * Whether pruning now is cheaper than leaving it until space is needed: what every request until then saves, against
 * what it costs to send the changed prefix anew.
 */
export function paysBeforeTrigger(pruned: Pass, changes: readonly Change[]): boolean {
  const steps = costOf(pruned, changes)?.breakEvenSteps ?? Infinity;
  return steps <= stepsToTrigger(pruned);
}

/** Requests until the view reaches the trigger, if it grows as it has grown so far. */
function stepsToTrigger({ view, measures, startTokens }: Pass): number {
  let responses = 0;
  for (const item of view.items) if (item.type === 'entry' && item.entry.role === 'assistant') responses += 1;
  const perStep = seenTokens(view) / Math.max(1, responses);
  return Math.max(0, measures.trigger - startTokens) / Math.max(1, perStep);
}
