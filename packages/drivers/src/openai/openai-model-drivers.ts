import { openaiChatCodec, openaiResponsesCodec } from '@throughline/core';
import type OpenAI from 'openai';
import { checkOpenaiEndpoint, clientHeaders, secretsOf } from '../endpoint.ts';
import { RefusedFields } from '../stream/refused-fields.ts';
import { runStream } from '../stream/run-stream.ts';
import { ChatReader } from './chat-reader.ts';
import { ResponsesReader } from './responses-reader.ts';
import { guardFetch, patientFetch } from '../stream/guard-fetch.ts';
import { isObject, listOf, objectOf } from '../stream/wire-value.ts';
import type { ChunkReader } from '../stream/run-stream.ts';
import type { Codec } from '@throughline/core';
import type { ModelDriver, StepRequest } from '@throughline/ports';
import type { OpenaiEndpoint } from '../endpoint.ts';
import type { WireObject } from '../stream/wire-value.ts';

/** Calls any server that speaks OpenAI Chat Completions, as it streams; what one that does not stream answers is read, too. */
export function createOpenaiChatDriver(endpoint: OpenaiEndpoint): ModelDriver {
  return driverOf(endpoint, {
    codec: openaiChatCodec,
    bodyOf: chatBodyOf,
    send: (client, body, signal) =>
      client.chat.completions.create(body as unknown as OpenAI.Chat.ChatCompletionCreateParamsStreaming, {
        signal,
      }),
    readerOf: ({ messages }) => new ChatReader(`call_${messages.length}`),
    asOneChunk: completionAsChunk,
  });
}

/** Calls any server that speaks OpenAI Responses, as it streams. The server stores nothing: reasoning comes encrypted. */
export function createOpenaiResponsesDriver(endpoint: OpenaiEndpoint): ModelDriver {
  return driverOf(endpoint, {
    codec: openaiResponsesCodec,
    bodyOf: responsesBodyOf,
    send: (client, body, signal) =>
      client.responses.create(body as unknown as OpenAI.Responses.ResponseCreateParamsStreaming, { signal }),
    readerOf: () => new ResponsesReader(),
  });
}

type Body = Readonly<Record<string, unknown>>;

/** What the two interfaces of OpenAI do each in its own way. */
interface Interface {
  readonly codec: Codec;
  readonly bodyOf: (request: StepRequest, endpoint: OpenaiEndpoint) => Body;
  readonly send: (client: OpenAI, body: Body, signal: AbortSignal) => PromiseLike<AsyncIterable<unknown>>;
  readonly readerOf: (request: StepRequest) => ChunkReader<unknown>;
  readonly asOneChunk?: (body: WireObject) => WireObject | undefined;
}

function driverOf(
  endpoint: OpenaiEndpoint,
  { codec, bodyOf, send, readerOf, asOneChunk }: Interface,
): ModelDriver {
  checkOpenaiEndpoint(endpoint);
  const { model, provider = 'openai' } = endpoint;
  const secrets = secretsOf(endpoint);
  let client: Promise<OpenAI> | undefined;
  const fields = new RefusedFields();
  return {
    name: `${provider}:${model}`,
    provider,
    model,
    codec,
    stream: (request, { signal }) =>
      runStream(
        {
          open: async (closing) => {
            const opened = await (client ??= createOpenaiClient(endpoint, asOneChunk));
            return await fields.send(bodyOf(request, endpoint), (body) => send(opened, body, closing));
          },
          reader: readerOf(request),
          codec,
          secrets,
        },
        signal,
      ),
  };
}

/** A client for streams: tries once, keeps quiet, follows no redirect. Its library is loaded with the first request. */
async function createOpenaiClient(
  endpoint: OpenaiEndpoint,
  asOneChunk: Interface['asOneChunk'],
): Promise<OpenAI> {
  const { baseUrl, apiKey = 'none', timeoutMs = 600_000, query } = endpoint;
  const { fetch: given = patientFetch(timeoutMs) } = endpoint;
  const { default: Client } = await import('openai');
  return new Client({
    baseURL: baseUrl,
    apiKey,
    // What the environment says of OpenAI is nothing that other servers need to know.
    organization: null,
    project: null,
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    fetch: guardFetch(given, asOneChunk && { asOneChunk }),
    defaultHeaders: clientHeaders(endpoint),
    ...(query && { defaultQuery: query }),
  });
}

/** A whole completion: its message is all that deltas would have told. */
function completionAsChunk(body: WireObject): WireObject | undefined {
  const choice = objectOf(listOf(body['choices'])[0]);
  const { message, finish_reason: reason } = choice;
  if (!isObject(message) || typeof reason !== 'string') return undefined;
  return { ...body, choices: [{ ...choice, delta: message }] };
}

function chatBodyOf(request: StepRequest, { model, baseUrl }: OpenaiEndpoint): Body {
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

function responsesBodyOf(request: StepRequest, { model }: OpenaiEndpoint): Body {
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
