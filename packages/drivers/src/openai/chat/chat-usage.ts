import type { ModelUsage } from '@throughline/ports';
import { countOf, isObject, objectOf } from '../../stream/wire-value.ts';

/** `usage` of a completion. DeepSeek names what came from the cache in its own way. */
export function chatUsage(usage: unknown): ModelUsage | undefined {
  if (!isObject(usage)) return undefined;
  const inputTokens = countOf(usage['prompt_tokens']);
  const outputTokens = countOf(usage['completion_tokens']);
  const prompt = objectOf(usage['prompt_tokens_details']);
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: countOf(objectOf(usage['completion_tokens_details'])['reasoning_tokens']),
    cacheReadTokens: countOf(prompt['cached_tokens']) || countOf(usage['prompt_cache_hit_tokens']),
    cacheWriteTokens: countOf(prompt['cache_write_tokens']),
    totalTokens: countOf(usage['total_tokens']) || inputTokens + outputTokens,
  };
}

/** `timings` of llama.cpp, which it sends although nobody asked for usage. */
export function timingsUsage(timings: unknown): ModelUsage | undefined {
  if (!isObject(timings) || typeof timings['prompt_n'] !== 'number') return undefined;
  const cacheReadTokens = countOf(timings['cache_n']);
  const inputTokens = countOf(timings['prompt_n']) + cacheReadTokens;
  const outputTokens = countOf(timings['predicted_n']);
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: 0,
    cacheReadTokens,
    cacheWriteTokens: 0,
    totalTokens: inputTokens + outputTokens,
  };
}
