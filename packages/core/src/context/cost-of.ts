import { isCacheCold, priceRequest } from '../models/price-request.ts';
import { seenTokens } from '../changes/view.ts';
import { toActual } from '../budget/gauge.ts';
import type { Attempt } from './attempt.ts';
import type { Change } from '../changes/change.ts';
import type { PassCost, SummariserWork } from './report.ts';
import type { Pricing } from '../models/price-request.ts';

/** The cost of what was done to the view in this step; `null` where nothing was, or where no prices are known. */
export function costOf(attempt: Attempt, changes: readonly Change[]): PassCost | null {
  const { pricing, summariser: asked } = attempt.policy;
  const added = new Set(changes.filter(({ reason }) => reason !== 'admission'));
  if (!pricing || added.size === 0) return null;
  const { before, after, kept, unseen } = sizesOf(attempt, added);
  const isCold = isCacheCold(pricing, attempt.idleMs);
  const former = isCold ? 0 : before - unseen;
  const rewriteUsd =
    priceRequest(pricing, { inputTokens: after, cachedTokens: isCold ? 0 : kept }) -
    priceRequest(pricing, { inputTokens: before, cachedTokens: former });
  const perStep = { inputTokens: before - after, cachedTokens: before - after };
  const summariserPricing = (asked?.type === 'model' ? asked.pricing : undefined) ?? pricing;
  const summariserUsd = priceOfWork(attempt.summariser, summariserPricing, pricing);
  return costed(rewriteUsd, summariserUsd, priceRequest(pricing, perStep));
}

function priceOfWork(work: SummariserWork, alone: Pricing, session: Pricing): number {
  const { ridden = { inputTokens: 0, outputTokens: 0 } } = work;
  const rest = {
    inputTokens: work.inputTokens - ridden.inputTokens,
    outputTokens: work.outputTokens - ridden.outputTokens,
  };
  return priceRequest(alone, rest) + priceRequest(session, ridden);
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

function sizesOf({ gauge, startTokens, view }: Attempt, added: ReadonlySet<Change>): Sizes {
  return {
    before: toActual(gauge, startTokens),
    after: toActual(gauge, view.tokens),
    kept: toActual(gauge, tokensBeforeFirst(view, added)),
    unseen: gauge.slope * (view.tokens - seenTokens(view)),
  };
}

/** Estimated tokens of the view before the first message that one of these changes touches. */
function tokensBeforeFirst({ items }: Attempt['view'], added: ReadonlySet<Change>): number {
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
 * Whether clearing now is cheaper than leaving it until space is needed: what every request until then saves, against
 * what it costs to send the changed prefix anew.
 */
export function paysBeforeTrigger(cleared: Attempt, changes: readonly Change[]): boolean {
  const steps = costOf(cleared, changes)?.breakEvenSteps ?? Infinity;
  return steps <= stepsToTrigger(cleared);
}

/** Requests until the view reaches the trigger, if it grows as it has grown so far. */
function stepsToTrigger({ view, measures, startTokens }: Attempt): number {
  let responses = 0;
  for (const item of view.items) if (item.type === 'entry' && item.entry.role === 'assistant') responses += 1;
  const perStep = seenTokens(view) / Math.max(1, responses);
  return Math.max(0, measures.trigger - startTokens) / Math.max(1, perStep);
}
