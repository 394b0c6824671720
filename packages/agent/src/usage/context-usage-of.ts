import { measureRequest, toActual } from '@throughline/core';
import { addItem, categoryTokens, noTokens } from './category-tokens.ts';
import { shareOut } from './share-out.ts';
import type { MeasuredView, RequestMeasure } from '@throughline/core';
import type { ContextUsage, UsageByCategory, UsageLevel } from '../events/agent-event.ts';
import type { CategorySums } from './category-tokens.ts';

const warningPercent = 80;
const criticalPercent = 95;

/**
 * How full the context is. Pure. Its cost is that of what is new since the view was made, or since it was last asked
 * for.
 *
 * @param reserved estimated tokens of what is not in the transcript yet: an answer that is being written, notes
 */
export function contextUsageOf(context: MeasuredView, reserved: Partial<UsageByCategory> = {}): ContextUsage {
  const besideTokens = Object.values(reserved).reduce((sum, tokens) => sum + tokens, 0);
  const measure = measureRequest(context, besideTokens);
  const { budget, currentTokens, estimateTokens } = measure;
  const percentUsed = (currentTokens / Math.max(1, budget.usableTokens)) * 100;
  const counted = context.state.usage?.estimateTokens;
  return {
    currentTokens,
    limit: budget.usableTokens,
    windowTokens: budget.windowTokens,
    triggerTokens: budget.triggerTokens,
    percentUsed,
    level: levelOf(percentUsed),
    byCategory: shareOut(currentTokens, weightsOf(context, measure, reserved)),
    // Sums of estimates: the last digits say nothing.
    estimated: counted === undefined || Math.abs(counted - estimateTokens) > 0.5,
  };
}

function levelOf(percentUsed: number): UsageLevel {
  if (percentUsed > criticalPercent) return 'critical';
  return percentUsed > warningPercent ? 'warning' : 'ok';
}

/** Estimated tokens by category; what no estimate sees is told by the calibration, and goes to system and tools. */
function weightsOf(
  { transcript, view, state }: MeasuredView,
  { tail, estimateTokens }: RequestMeasure,
  reserved: Partial<UsageByCategory>,
): CategorySums {
  const { conversation, media, systemTokens, toolsTokens } = transcript;
  const isHidden = conversation.barrierAt >= view.conversation.entries.length;
  const sums = { ...(isHidden ? noTokens() : categoryTokens(view, media)) };
  for (const item of tail) addItem(sums, item, { conversation, media });
  for (const name of categories) sums[name] += reserved[name] ?? 0;
  // Calls that are still without a result.
  sums.toolResults += Math.max(0, estimateTokens - categories.reduce((all, name) => all + sums[name], 0));
  const unseen = unseenTokens(state);
  const fixedTokens = systemTokens + toolsTokens;
  const toTools = fixedTokens > 0 ? toolsTokens / fixedTokens : 0;
  sums.system += systemTokens + unseen * (1 - toTools);
  sums.tools += toolsTokens + unseen * toTools;
  return sums;
}

const categories = Object.keys(noTokens()) as readonly (keyof CategorySums)[];

/** What the provider counts beside all that is estimated, in the estimator's own tokens. */
function unseenTokens({ calibration }: MeasuredView['state']): number {
  const unseen = toActual(calibration, 0);
  return unseen === 0 ? 0 : unseen / (toActual(calibration, 1) - unseen);
}
