import { createStrategy } from '@throughline/core';

/** What a strategy asks a model for: nothing, summaries (the digest can stand in), or decisions (nothing can). */
export type ModelNeed = 'none' | 'summary' | 'decisions';

export function modelNeed(strategy: string): ModelNeed {
  const { rungs } = createStrategy(strategy);
  if (rungs.some(({ type }) => type === 'review')) return 'decisions';
  return rungs.some((rung) => rung.type === 'fold' && rung.writer === 'model') ? 'summary' : 'none';
}
