import { isCacheCold, priceRequest } from '../models/prices.ts';
import { seenTokens } from '../changes/view.ts';
import { toActual } from '../budget/token-scale.ts';
import type { Pass } from './pass.ts';
import type { Change } from '../changes/change.ts';
import type { PassCost, SummariserWork } from './report.ts';
import type { Pricing } from '../models/prices.ts';

/** The cost of what was done to the view in this step; `null` where nothing was, or where no prices are known. */
export function costOf(pass: Pass, changes: readonly Change[]): PassCost | null {
  const { pricing, summariser: asked } = pass.policy;
  const added = new Set(changes.filter(({ reason }) => reason !== 'truncation'));
  if (!pricing || added.size === 0) return null;
  const { before, after, kept, unseen } = sizesOf(pass, added);
  const isCold = isCacheCold(pricing, pass.idleMs);
  const former = isCold ? 0 : before - unseen;
  const rewriteUsd =
    priceRequest(pricing, { inputTokens: after, cachedTokens: isCold ? 0 : kept }) -
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

interface Sizes {
  /** Measured tokens of the request before and after, of the beginning that is the same, and of what is new anyway. */
  readonly before: number;
  readonly after: number;
  readonly kept: number;
  readonly unseen: number;
}

function sizesOf({ tokenScale, startTokens, view }: Pass, added: ReadonlySet<Change>): Sizes {
  return {
    before: toActual(tokenScale, startTokens),
    after: toActual(tokenScale, view.tokens),
    kept: toActual(tokenScale, tokensBeforeFirst(view, added)),
    unseen: tokenScale.slope * (view.tokens - seenTokens(view)),
  };
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
