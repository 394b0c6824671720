import { fitMessages, recallTool, withCacheMarks } from '../../src/anthropic/index.ts';
import type Anthropic from '@anthropic-ai/sdk';
import type { ContextState } from '@throughline/core';
import type { FitOptions } from '../../src/anthropic/index.ts';

/** Compiles only while the function fits the requests of the real SDK without a cast. */
export async function messages(
  client: Anthropic,
  history: Anthropic.MessageParam[],
  state: ContextState,
  options: FitOptions,
): Promise<ContextState> {
  const fitted = await fitMessages(history, state, options);
  const reply = await client.messages.create({
    model: 'claude-sonnet-4-5',
    max_tokens: 1_000,
    messages: fitted.messages,
    tools: [recallTool],
  });
  return fitted.stateAfter(reply.usage);
}

export async function cachedMessages(
  client: Anthropic,
  history: Anthropic.MessageParam[],
  state: ContextState,
  options: FitOptions,
): Promise<ContextState> {
  const outside = { system: 'Be careful.', tools: [recallTool] };
  const fitted = await fitMessages(history, state, { ...options, ...outside });
  const marked = withCacheMarks(fitted, outside);
  const reply = await client.messages.create({ model: 'claude-sonnet-4-5', max_tokens: 1_000, ...marked });
  return fitted.stateAfter(reply.usage);
}
