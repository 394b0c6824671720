import { countOf, isObject, objectOf } from '../json/json.ts';
import type { WireObject } from './decode-parts.ts';

/** Usage as a server told it. Numbers that were not told are 0. */
export interface ToldUsage {
  /** The whole prompt, whatever the format leaves out of its number: computed, read from the cache, written to it. */
  readonly inputTokens: number;
  /** The whole answer, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

type Finish = 'stop' | 'length' | 'tool-calls' | 'refusal' | 'window-full' | 'paused';

/** Why a model stopped, by what the three APIs call it. */
export const finishReasons: Readonly<
  Record<'chat' | 'messages' | 'responses', Readonly<Record<string, Finish>>>
> = {
  chat: {
    stop: 'stop',
    eos: 'stop',
    length: 'length',
    tool_calls: 'tool-calls',
    function_call: 'tool-calls',
    content_filter: 'refusal',
    model_context_window_exceeded: 'window-full',
  },
  messages: {
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    tool_use: 'tool-calls',
    pause_turn: 'paused',
    refusal: 'refusal',
    model_context_window_exceeded: 'window-full',
  },
  // The status, or why it is incomplete.
  responses: {
    completed: 'stop',
    max_output_tokens: 'length',
    content_filter: 'refusal',
  },
};

/** Usage of a Chat Completion, or of a chunk of one. Groq tells it beside, llama.cpp although nobody asked for it. */
export function chatUsage({ usage, x_groq: groq, timings }: WireObject): ToldUsage | undefined {
  const told = usage ?? objectOf(groq)['usage'];
  if (!isObject(told)) return timingsUsage(timings);
  const prompt = objectOf(told['prompt_tokens_details']);
  return {
    inputTokens: countOf(told['prompt_tokens']),
    outputTokens: countOf(told['completion_tokens']),
    reasoningTokens: countOf(objectOf(told['completion_tokens_details'])['reasoning_tokens']),
    // DeepSeek names it in its own way.
    cacheReadTokens: countOf(prompt['cached_tokens']) || countOf(told['prompt_cache_hit_tokens']),
    cacheWriteTokens: countOf(prompt['cache_write_tokens']),
  };
}

function timingsUsage(timings: unknown): ToldUsage | undefined {
  if (!isObject(timings) || typeof timings['prompt_n'] !== 'number') return undefined;
  const cacheReadTokens = countOf(timings['cache_n']);
  return {
    inputTokens: countOf(timings['prompt_n']) + cacheReadTokens,
    outputTokens: countOf(timings['predicted_n']),
    reasoningTokens: 0,
    cacheReadTokens,
    cacheWriteTokens: 0,
  };
}

/** `usage` of a Response. */
export function responsesUsage(usage: unknown): ToldUsage | undefined {
  if (!isObject(usage)) return undefined;
  const input = objectOf(usage['input_tokens_details']);
  return {
    inputTokens: countOf(usage['input_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    reasoningTokens: countOf(objectOf(usage['output_tokens_details'])['reasoning_tokens']),
    cacheReadTokens: countOf(input['cached_tokens']),
    cacheWriteTokens: countOf(input['cache_write_tokens']),
  };
}

/**
 * `usage` of a message, behind what was told of it before. It comes at the start and again, cumulative, at the end, where
 * servers that only imitate the format tell the truth: of each number the last above 0 counts. What the start says of the
 * output is the first token or two.
 */
export function messagesUsage(
  before: ToldUsage | undefined,
  usage: unknown,
  place: 'start' | 'end',
): ToldUsage | undefined {
  if (!isObject(usage)) return before;
  const cacheReadTokens = countOf(usage['cache_read_input_tokens']) || (before?.cacheReadTokens ?? 0);
  const cacheWriteTokens = countOf(usage['cache_creation_input_tokens']) || (before?.cacheWriteTokens ?? 0);
  const cachedBefore = (before?.cacheReadTokens ?? 0) + (before?.cacheWriteTokens ?? 0);
  const computed = countOf(usage['input_tokens']) || (before ? before.inputTokens - cachedBefore : 0);
  const { thinking_tokens: thinking } = objectOf(usage['output_tokens_details']);
  return {
    inputTokens: computed + cacheReadTokens + cacheWriteTokens,
    outputTokens: (place === 'end' ? countOf(usage['output_tokens']) : 0) || (before?.outputTokens ?? 0),
    reasoningTokens: countOf(thinking) || (before?.reasoningTokens ?? 0),
    cacheReadTokens,
    cacheWriteTokens,
  };
}
