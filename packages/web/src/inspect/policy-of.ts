import { createStrategy } from '@throughline/core';
import type { Policy } from '@throughline/core';
import type { Inspected } from './inspected.ts';

/**
 * The policy that a pass would be made with, for questions that send nothing: code writes the summaries.
 *
 * @param strategy another one than that of the session
 */
export function policyOf({ setup }: Inspected, strategy: string = setup.strategy): Policy {
  const isOwn = strategy === setup.strategy;
  return {
    strategy: createStrategy(strategy, isOwn ? { trigger: setup.trigger } : {}),
    // Where the session's strategy acts is known; where another would, it says itself.
    budget: isOwn ? { ...setup.budget, thresholdTokens: setup.triggerTokens } : setup.budget,
    summariser: { type: 'code' },
    background: false,
    hasRecall: setup.hasRecall,
    pins: setup.pins,
    ...(setup.pricing ? { pricing: setup.pricing } : {}),
  };
}
