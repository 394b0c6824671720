import { openaiChatCodec } from '@throughline/core';
import { createPlainFit } from '../following/plain-fit.ts';
import { recallDefinition } from '../following/recall-tool.ts';
import type { PlainFit } from '../following/plain-fit.ts';

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
