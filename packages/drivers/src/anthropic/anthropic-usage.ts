import type { ModelUsage } from '@throughline/ports';
import { countOf, objectOf } from '../stream/wire-value.ts';
import type { WireObject } from '../stream/wire-value.ts';

const fields = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
] as const;

/**
 * Usage comes at the start and again, cumulative, at the end, where servers that only imitate the format tell the truth:
 * of each field the last number above 0 counts. `input_tokens` leaves out what came from the cache or went into it.
 */
export class AnthropicUsage {
  private readonly counts = new Map<string, number>();
  private reasoningTokens = 0;

  add(usage: WireObject): void {
    for (const field of fields) {
      const count = countOf(usage[field]);
      if (count > 0) this.counts.set(field, count);
    }
    const { thinking_tokens: thinking } = objectOf(usage['output_tokens_details']);
    this.reasoningTokens = countOf(thinking) || this.reasoningTokens;
  }

  total(): ModelUsage | undefined {
    if (this.counts.size === 0) return undefined;
    const [input, cacheWriteTokens, cacheReadTokens, outputTokens] = fields.map(
      (field) => this.counts.get(field) ?? 0,
    ) as [number, number, number, number];
    const inputTokens = input + cacheWriteTokens + cacheReadTokens;
    return {
      inputTokens,
      outputTokens,
      reasoningTokens: this.reasoningTokens,
      cacheReadTokens,
      cacheWriteTokens,
      totalTokens: inputTokens + outputTokens,
    };
  }
}
