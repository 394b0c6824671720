import type { TokenUsage } from '@throughline/agent';

/** The sum of what the provider counted for the steps of an answer; `undefined` while it has counted nothing. */
export function addUsage(sum: TokenUsage | undefined, step: TokenUsage | null): TokenUsage | undefined {
  if (!step || !sum) return step ?? sum;
  return {
    input: sum.input + step.input,
    output: sum.output + step.output,
    reasoning: sum.reasoning + step.reasoning,
    cacheRead: sum.cacheRead + step.cacheRead,
    cacheWrite: sum.cacheWrite + step.cacheWrite,
    total: sum.total + step.total,
  };
}
