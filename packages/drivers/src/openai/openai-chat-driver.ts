import { openaiChatCodec } from '@throughline/core';
import type OpenAI from 'openai';
import { checkOpenaiEndpoint, secretsOf } from '../endpoint.ts';
import { RefusedFields } from '../stream/refused-fields.ts';
import { runStream } from '../stream/run-stream.ts';
import { ChatReader } from './chat-reader.ts';
import { createOpenaiClient } from './openai-client.ts';
import type { ModelDriver, StepRequest } from '@throughline/ports';
import type { OpenaiEndpoint } from '../endpoint.ts';

type Chunks = AsyncIterable<OpenAI.Chat.ChatCompletionChunk>;

/** Calls any server that speaks OpenAI Chat Completions, as it streams. */
export function createOpenaiChatDriver(endpoint: OpenaiEndpoint): ModelDriver {
  checkOpenaiEndpoint(endpoint);
  const { model, provider = 'openai' } = endpoint;
  const secrets = secretsOf(endpoint);
  const client = createOpenaiClient(endpoint);
  const fields = new RefusedFields();
  return {
    name: `${provider}:${model}`,
    provider,
    model,
    codec: openaiChatCodec,
    stream: (request, { signal }) =>
      runStream(
        {
          open: (closing) =>
            fields.send(
              bodyOf(request, endpoint),
              (body) =>
                client.chat.completions.create(
                  body as unknown as OpenAI.Chat.ChatCompletionCreateParamsStreaming,
                  { signal: closing },
                ) as PromiseLike<Chunks>,
            ),
          reader: new ChatReader(`call_${request.messages.length}`),
          codec: openaiChatCodec,
          secrets,
        },
        signal,
      ),
  };
}

function bodyOf(request: StepRequest, { model, baseUrl }: OpenaiEndpoint): Record<string, unknown> {
  const { system, messages, tools = [], toolChoice, maxOutputTokens, temperature, settings } = request;
  const hasSystem = system !== undefined && system !== '';
  const isOpenai = /^https:\/\/api\.openai\.com\//i.test(`${baseUrl}/`);
  return {
    model,
    messages: hasSystem ? [{ role: 'system', content: system }, ...messages] : messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema: parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
      ...(toolChoice && toolChoice !== 'auto' && { tool_choice: toolChoice }),
    }),
    // Elsewhere the older name is the one that everybody knows.
    ...(maxOutputTokens !== undefined && {
      [isOpenai ? 'max_completion_tokens' : 'max_tokens']: maxOutputTokens,
    }),
    ...(temperature !== undefined && { temperature }),
    ...(isOpenai && request.conversationId !== undefined && { prompt_cache_key: request.conversationId }),
    ...settings,
  };
}
