import type { ModelUsage } from '@throughline/ports';
import type { TokenUsage } from '../events/agent-event.ts';

export function tokenUsageOf(usage: ModelUsage | undefined): TokenUsage | null {
  if (!usage) return null;
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    total: usage.totalTokens,
  };
}
