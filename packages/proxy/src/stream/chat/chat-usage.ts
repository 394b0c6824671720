import { countOf, objectOf } from '../shared/stream-event.ts';
import type { AnswerPart } from '../shared/continuation.ts';
import type { AnswerUsage } from '../shared/facts.ts';
import type { WireObject } from '../shared/stream-event.ts';

/** The usage of a part as that of the whole answer: the prompt of the last call, the output of all. */
export function joinChatUsage(usage: WireObject, { spent, estimates }: AnswerPart): WireObject {
  const input = countOf(usage['prompt_tokens']) || estimates.inputTokens;
  const output = countOf(usage['completion_tokens']) + spent.outputTokens;
  const details = objectOf(usage['completion_tokens_details']);
  const reasoning = countOf(details['reasoning_tokens']) + spent.reasoningTokens;
  return {
    ...usage,
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(reasoning > 0 && { completion_tokens_details: { ...details, reasoning_tokens: reasoning } }),
  };
}

export function writeChatUsage(usage: AnswerUsage): WireObject {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cacheReadTokens > 0 && { prompt_tokens_details: { cached_tokens: cacheReadTokens } }),
    ...(reasoningTokens > 0 && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/** The chunk that holds nothing but usage. */
export function isUsageChunk({ choices, usage }: WireObject): boolean {
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null;
}
