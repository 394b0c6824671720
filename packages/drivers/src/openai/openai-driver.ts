import type OpenAI from 'openai';
import { checkOptions, numberFrom, optionalList } from '@throughline/core/internal';
import { endpointChecks, secretsOf } from '../endpoint.ts';
import { failedAnswer, readFailure } from '../failures/read-failure.ts';
import { guardFetch } from '../stream/guard-fetch.ts';
import type { Answer, ModelRequest } from '@throughline/core';
import type { AnswerUsage, OptionChecks } from '@throughline/core/internal';
import type { Driver } from '@throughline/ports';

/** Which model is asked, and where. */
export interface OpenaiDriverOptions {
  /** Its id, as the server knows it. */
  readonly model: string;
  /** Up to and including the version, as `http://localhost:1234/v1`. */
  readonly baseUrl: string;
  /** Local servers want none. Sent to `baseUrl` only; never logged. */
  readonly apiKey?: string;
  /** Time for one answer. @default 300 000 */
  readonly timeoutMs?: number;
  /** Tries after a connection error, 408, 409, 429 or 5xx, with back-off and `retry-after`. @default 2 */
  readonly maxRetries?: number;
  /** The tools the session is sent with: a question behind its messages needs them to find the cached prefix. */
  readonly tools?: readonly OpenAI.Chat.ChatCompletionTool[];
}

const optionChecks: OptionChecks<OpenaiDriverOptions> = {
  model: endpointChecks.model,
  baseUrl: endpointChecks.baseUrl,
  apiKey: endpointChecks.apiKey,
  timeoutMs: endpointChecks.timeoutMs,
  maxRetries: numberFrom(0),
  tools: optionalList,
};

// Room for reasoning on top of the visible answer: a cap on the answer alone is eaten by it (pi#9512).
const reasoningAllowanceTokens = 4_000;

/**
 * Calls any server that speaks OpenAI Chat Completions.
 *
 * @throws {ContextError} `invalid-option` that names the option.
 */
export function createOpenaiDriver(options: OpenaiDriverOptions): Driver {
  checkOptions('', options, optionChecks);
  let client: Promise<OpenAI> | undefined;
  return {
    name: `openai:${options.model}`,
    complete: async (request, { signal }) => {
      try {
        const opened = await (client ??= createClient(options));
        return await ask(opened, bodyOf(request, options), request.temperature, signal);
      } catch (error) {
        return failedAnswer(readFailure(error, secretsOf(options)));
      }
    },
  };
}

type Body = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, 'max_tokens'> & { max_tokens: number };

function bodyOf(request: ModelRequest, { model, tools }: OpenaiDriverOptions): Body {
  const max_tokens = request.maxOutputTokens + reasoningAllowanceTokens;
  if (!request.cachedPrefix) {
    const system = { role: 'system' as const, content: request.system };
    return { model, messages: [system, ...request.messages], max_tokens };
  }
  const messages = [...request.cachedPrefix, ...request.messages] as OpenAI.Chat.ChatCompletionMessageParam[];
  // `none` keeps the tools in the prompt, and the model from using them.
  const offered = tools && tools.length > 0 ? { tools: [...tools], tool_choice: 'none' as const } : {};
  return { model, messages, max_tokens, ...offered };
}

/** The library is loaded with the first request. */
async function createClient(options: OpenaiDriverOptions): Promise<OpenAI> {
  const { baseUrl, apiKey = 'none', timeoutMs = 300_000, maxRetries = 2 } = options;
  const { default: Client } = await import('openai');
  return new Client({
    baseURL: baseUrl,
    apiKey,
    organization: null,
    project: null,
    timeout: timeoutMs,
    maxRetries,
    logLevel: 'off',
    // The history goes to the address that was named, and to no other.
    fetch: guardFetch(fetch, { isStreaming: false }),
  });
}

async function ask(client: OpenAI, body: Body, temperature: number, signal?: AbortSignal): Promise<Answer> {
  const options = signal ? { signal } : {};
  try {
    return answerOf(await client.chat.completions.create({ ...body, temperature }, options));
  } catch (error) {
    if (!refusesParameter(error)) throw error;
    const { max_tokens, ...rest } = body;
    return answerOf(
      await client.chat.completions.create({ ...rest, max_completion_tokens: max_tokens }, options),
    );
  }
}

/** Reasoning models refuse `temperature`, and want `max_completion_tokens` instead of `max_tokens`. */
function refusesParameter(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { status, code } = error as Error & { readonly status?: unknown; readonly code?: unknown };
  return (
    status === 400 &&
    (code === 'unsupported_parameter' ||
      code === 'unsupported_value' ||
      /unsupported (parameter|value)|does not support.*temperature/i.test(error.message))
  );
}

const finishes: Readonly<Record<string, Extract<Answer, { type: 'text' }>['finish']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'refusal',
};

function answerOf(completion: OpenAI.Chat.ChatCompletion): Answer {
  const choice = (completion as OpenAI.Chat.ChatCompletion | undefined)?.choices?.[0];
  if (!choice)
    return { type: 'failed', cause: 'unavailable', message: 'the server answered without a choice' };
  const { usage } = completion;
  return {
    type: 'text',
    text: choice.message.content ?? '',
    finish: choice.message.refusal ? 'refusal' : (finishes[choice.finish_reason] ?? 'other'),
    ...(usage ? { usage: usageOf(usage) } : {}),
  };
}

function usageOf(usage: OpenAI.CompletionUsage): AnswerUsage {
  const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
  };
}
