import { createStrategy } from '@throughline/core';

/** What a strategy asks a model for: nothing, summaries (code can stand in), or decisions (nothing can). */
export type ModelNeed = 'none' | 'summary' | 'decisions';

export function modelNeed(strategy: string): ModelNeed {
  const { ladderSteps } = createStrategy(strategy);
  if (ladderSteps.some(({ type }) => type === 'review')) return 'decisions';
  return ladderSteps.some((ladderStep) => ladderStep.type === 'compact' && ladderStep.writer === 'model')
    ? 'summary'
    : 'none';
}
