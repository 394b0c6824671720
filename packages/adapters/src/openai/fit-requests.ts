import { openaiChatCodec, openaiResponsesCodec } from '@throughline/core';
import type { PlainFit } from '../following/plain-fit.ts';
import { createPlainFit } from '../following/plain-fit.ts';
import { recallDefinition } from '../following/recall-tool.ts';

/** The `usage` of a chat completion. */
export interface ChatUsage {
  readonly prompt_tokens: number;
}

/**
 * The messages of a Chat Completions request, made to fit.
 *
 * @throws {ContextError} `cannot-fit` when not even the irreducible part fits, or compaction is switched off.
 */
export const fitChat: PlainFit<ChatUsage> = createPlainFit(openaiChatCodec, (usage) => usage.prompt_tokens);

const { name, description, parameters } = recallDefinition;

/** The `recall` tool for `tools`; `recall` of the fitted request answers its calls. */
export const chatRecallTool = {
  type: 'function' as const,
  function: { name, description, parameters: { ...parameters } as Record<string, unknown> },
};

/** The `usage` of a response. */
export interface ResponsesUsage {
  readonly input_tokens: number;
}

/**
 * The `input` of a Responses request, made to fit. For requests that carry the whole history: with
 * `previous_response_id` or a conversation the server holds it, and there is nothing to make smaller.
 *
 * @throws {ContextError} `cannot-fit` when not even the irreducible part fits, or compaction is switched off.
 */
export const fitResponses: PlainFit<ResponsesUsage> = createPlainFit(
  openaiResponsesCodec,
  (usage) => usage.input_tokens,
);

/** The `recall` tool for `tools`; `recall` of the fitted request answers its calls. */
export const responsesRecallTool = {
  type: 'function' as const,
  name,
  description,
  parameters: { ...parameters } as Record<string, unknown>,
  strict: false,
};
