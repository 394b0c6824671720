import { chatRecallTool, fitChat, fitResponses, responsesRecallTool } from '../../src/openai/index.ts';
import type OpenAI from 'openai';
import type { ContextState } from '@throughline/core';
import type { FitOptions } from '../../src/openai/index.ts';

/** Compiles only while the functions fit the requests of the real SDK without a cast. */
export async function chat(
  client: OpenAI,
  messages: OpenAI.ChatCompletionMessageParam[],
  state: ContextState,
  options: FitOptions,
): Promise<ContextState> {
  const fitted = await fitChat(messages, state, options);
  const reply = await client.chat.completions.create({
    model: 'gpt-5',
    messages: fitted.messages,
    tools: [chatRecallTool],
  });
  return fitted.stateAfter(reply.usage);
}

export async function responses(
  client: OpenAI,
  input: OpenAI.Responses.ResponseInputItem[],
  state: ContextState,
  options: FitOptions,
): Promise<ContextState> {
  const fitted = await fitResponses(input, state, options);
  const reply = await client.responses.create({
    model: 'gpt-5',
    input: fitted.input,
    tools: [responsesRecallTool],
  });
  return fitted.stateAfter(reply.usage);
}
