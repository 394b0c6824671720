import { countOf, objectOf } from '@throughline/core/internal';
import type { AnswerPart } from '../shared/continuation.ts';
import type { ToldUsage } from '@throughline/core/internal';
import type { WireObject } from '@throughline/core/internal';

/** The usage of a part as that of the whole answer: the prompt of the last call, the output of all. */
export function joinResponsesUsage(usage: WireObject, { spent, estimates }: AnswerPart): WireObject {
  const input = countOf(usage['input_tokens']) || estimates.inputTokens;
  const output = countOf(usage['output_tokens']) + spent.outputTokens;
  const details = objectOf(usage['output_tokens_details']);
  const reasoning = countOf(details['reasoning_tokens']) + spent.reasoningTokens;
  return {
    input_tokens_details: { cached_tokens: 0 },
    ...usage,
    input_tokens: input,
    output_tokens: output,
    output_tokens_details: { ...details, reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

export function writeResponsesUsage(usage: ToldUsage): WireObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
