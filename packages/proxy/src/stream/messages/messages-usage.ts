import { countOf, objectOf } from '@throughline/core/internal';
import type { AnswerPart, Estimates } from '../shared/continuation.ts';
import type { ToldUsage } from '@throughline/core/internal';
import type { WireObject } from '@throughline/core/internal';

const inputFields = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

/** The usage with a prompt in it: some servers tell none, and clients that believe them never make room. */
export function withInput(usage: WireObject, { inputTokens }: Estimates): WireObject {
  const isTold = inputFields.some((field) => countOf(usage[field]) > 0);
  return isTold || inputTokens === 0 ? usage : { ...usage, input_tokens: inputTokens };
}

/** The last usage of a part as that of the whole answer: the prompt of the last call, the output of all. */
export function joinMessagesUsage(start: WireObject, end: WireObject, part: AnswerPart): WireObject {
  const { spent, estimates, keepsStart } = part;
  const told = inputFields.map((field) => [field, countOf(end[field]) || countOf(start[field])] as const);
  const input = Object.fromEntries(told.filter(([, count]) => count > 0));
  const details = objectOf(end['output_tokens_details']);
  const thinking = countOf(details['thinking_tokens']) + spent.reasoningTokens;
  // A cached prompt of the first call, which the client knows from the first event, is none of the last.
  const none = Object.fromEntries(inputFields.map((field) => [field, 0]));
  return {
    ...end,
    ...(!keepsStart && { ...none, ...withInput(input, estimates) }),
    output_tokens: countOf(end['output_tokens']) + spent.outputTokens,
    ...(thinking > 0 && { output_tokens_details: { ...details, thinking_tokens: thinking } }),
  };
}

export function writeMessagesUsage(usage: ToldUsage): WireObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
  };
}
