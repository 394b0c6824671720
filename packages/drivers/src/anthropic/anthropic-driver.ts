import { address, clientHeaders, endpointChecks, secretsOf } from '../endpoint.ts';
import type Anthropic from '@anthropic-ai/sdk';
import { anthropicCodec, modelLimits } from '@throughline/core';
import { checkOptions } from '@throughline/core/internal';
import type { ModelDriver, StepRequest } from '@throughline/ports';
import { guardFetch, patientFetch } from '../stream/guard-fetch.ts';
import { RefusedFields } from '../stream/refused-fields.ts';
import { runStream } from '../stream/run-stream.ts';
import { AnthropicReader } from './anthropic-reader.ts';

/** Which model is called, and where. */
export interface AnthropicDriverOptions {
  /** Its id, as the server knows it. */
  readonly model: string;
  /** Never in a failure. @default 'none', for servers that want none */
  readonly apiKey?: string;
  /** Without a version. The environment has no say in it. @default 'https://api.anthropic.com' */
  readonly baseUrl?: string;
  /** The provider's name for events and logs. @default 'anthropic' */
  readonly provider?: string;
  /** Time until the server begins to answer; in the answer, longest silence of Node's own `fetch`. @default 600 000 */
  readonly timeoutMs?: number;
  /** Such as `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Behind every address. @default none */
  readonly query?: Readonly<Record<string, string>>;
  /** @default Node's own, which waits for `timeoutMs` */
  readonly fetch?: typeof fetch;
}

type Chunks = AsyncIterable<unknown>;

/**
 * Calls Anthropic, or a server that speaks its Messages, as it streams. The SDK is loaded with the first step.
 *
 * @throws {ContextError} `invalid-option` that names the option.
 */
export function createAnthropicDriver(options: AnthropicDriverOptions): ModelDriver {
  checkOptions<AnthropicDriverOptions>('', options, { ...endpointChecks, baseUrl: address });
  const { model, provider = 'anthropic' } = options;
  const secrets = secretsOf(options);
  const fields = new RefusedFields();
  let client: Promise<Anthropic> | undefined;
  return {
    name: `${provider}:${model}`,
    provider,
    model,
    codec: anthropicCodec,
    stream: (request, { signal }) =>
      runStream(
        {
          open: async (closing): Promise<Chunks> => {
            client ??= createClient(options);
            const { messages } = await client;
            return fields.send(
              bodyOf(request, model),
              (body) =>
                messages.create(body as unknown as Anthropic.MessageCreateParamsStreaming, {
                  signal: closing,
                }) as PromiseLike<Chunks>,
            );
          },
          reader: new AnthropicReader(),
          codec: anthropicCodec,
          secrets,
        },
        signal,
      ),
  };
}

async function createClient(options: AnthropicDriverOptions): Promise<Anthropic> {
  const { apiKey = 'none', timeoutMs = 600_000, query } = options;
  const { fetch: given = patientFetch(timeoutMs) } = options;
  const { default: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    apiKey,
    baseURL: options.baseUrl ?? 'https://api.anthropic.com',
    logLevel: 'off',
    timeout: timeoutMs,
    maxRetries: 0,
    fetch: guardFetch(given),
    defaultHeaders: clientHeaders(options),
    ...(query && { defaultQuery: query }),
  });
}

const choices = { none: 'none', required: 'any' } as const;

function bodyOf(request: StepRequest, model: string): Record<string, unknown> {
  const { system, messages, tools = [], toolChoice, maxOutputTokens, temperature, settings } = request;
  return {
    model,
    // The one provider that wants a number.
    max_tokens: maxOutputTokens ?? modelLimits({ model, endpoint: 'hosted' }).maxOutput.tokens,
    messages,
    stream: true,
    ...(system !== undefined && system !== '' && { system }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema: input_schema }) => ({
        name,
        description,
        input_schema,
      })),
      ...(toolChoice && toolChoice !== 'auto' && { tool_choice: { type: choices[toolChoice] } }),
    }),
    ...(temperature !== undefined && { temperature }),
    ...settings,
  };
}
