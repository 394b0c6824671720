import { openaiResponsesCodec } from '@throughline/core';
import type OpenAI from 'openai';
import { checkOpenaiEndpoint, secretsOf } from '../endpoint.ts';
import { RefusedFields } from '../stream/refused-fields.ts';
import { runStream } from '../stream/run-stream.ts';
import { createOpenaiClient } from './openai-client.ts';
import { ResponsesReader } from './responses-reader.ts';
import type { ModelDriver, StepRequest } from '@throughline/ports';
import type { OpenaiEndpoint } from '../endpoint.ts';

type Chunks = AsyncIterable<unknown>;

/** Calls any server that speaks OpenAI Responses, as it streams. The server stores nothing: reasoning comes encrypted. */
export function createOpenaiResponsesDriver(endpoint: OpenaiEndpoint): ModelDriver {
  checkOpenaiEndpoint(endpoint);
  const { model, provider = 'openai' } = endpoint;
  const secrets = secretsOf(endpoint);
  const client = createOpenaiClient(endpoint);
  const fields = new RefusedFields();
  return {
    name: `${provider}:${model}`,
    provider,
    model,
    codec: openaiResponsesCodec,
    stream: (request, { signal }) =>
      runStream(
        {
          open: (closing) =>
            fields.send(
              bodyOf(request, model),
              (body) =>
                client.responses.create(body as unknown as OpenAI.Responses.ResponseCreateParamsStreaming, {
                  signal: closing,
                }) as PromiseLike<Chunks>,
            ),
          reader: new ResponsesReader(),
          codec: openaiResponsesCodec,
          secrets,
        },
        signal,
      ),
  };
}

function bodyOf(request: StepRequest, model: string): Record<string, unknown> {
  const { system, messages, tools = [], toolChoice, maxOutputTokens, temperature, settings } = request;
  const hasSystem = system !== undefined && system !== '';
  const isText = typeof system === 'string';
  return {
    model,
    input: hasSystem && !isText ? [{ role: 'developer', content: system }, ...messages] : messages,
    ...(hasSystem && isText && { instructions: system }),
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema: parameters }) => ({
        type: 'function',
        name,
        description,
        parameters,
        strict: false,
      })),
      ...(toolChoice && toolChoice !== 'auto' && { tool_choice: toolChoice }),
    }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(request.conversationId !== undefined && { prompt_cache_key: request.conversationId }),
    ...settings,
  };
}
