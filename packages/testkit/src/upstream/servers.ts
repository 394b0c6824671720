import type { WireObject } from '../judge/wire-value.ts';
import type { WallWords, WireEvent } from './dialects/dialect.ts';
import type { DialectName } from './model/scripted-answer.ts';

/** A request that does not fit. */
export interface Excess {
  readonly dialect: DialectName;
  readonly prompt: number;
  readonly maxTokens: number | undefined;
  readonly window: number;
}

interface OverflowAnswer {
  readonly status: number;
  /** `undefined`: no byte. */
  readonly body: WireObject | undefined;
}

export interface ServerKind {
  /** As a server answers before a stream has begun. */
  readonly overflow: (excess: Excess) => OverflowAnswer;
  /** Instead, for a request that streams: the whole of a stream under status 200. `undefined`: as `overflow`. */
  readonly overflowEvents?: (excess: Excess) => readonly WireEvent[] | undefined;
  /** Prompt and `max_tokens` together must fit. */
  readonly countsMaxTokens?: boolean;
  /** Answers what is left of a prompt, and says nothing. */
  readonly cutsSilently?: boolean;
  readonly wall: WallWords;
  /** What `GET /v1/models` says of a model beside its id. */
  readonly model?: (window: number) => WireObject;
}

const cutAtMaxTokens: WallWords = { messages: 'max_tokens', responses: 'incomplete' };

const llamaCpp: ServerKind = {
  overflow: ({ prompt, window }) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens: prompt,
        n_ctx: window,
      },
    },
  }),
  wall: { messages: 'max_tokens', responses: 'completed' },
  model: (window) => ({ meta: { n_ctx: window, n_ctx_train: 131_072 } }),
};

function openAiError({ dialect, prompt, window }: Excess): WireObject {
  return {
    message:
      dialect === 'responses'
        ? 'Your input exceeds the context window of this model. Please adjust your input and try again.'
        : `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
    type: 'invalid_request_error',
    param: dialect === 'responses' ? 'input' : 'messages',
    code: 'context_length_exceeded',
  };
}

const openai: ServerKind = {
  overflow: (excess) => ({ status: 400, body: { error: openAiError(excess) } }),
  wall: cutAtMaxTokens,
};

function lmStudioMessage({ prompt, window }: Excess): string {
  return `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${prompt}>= n_ctx: ${window}). Try to load the model with a larger context length, or provide a shorter input`;
}

function openAiText(
  message: (excess: Excess) => string,
  rest: WireObject = { type: 'invalid_request_error', param: null, code: null },
  status = 400,
): ServerKind {
  return {
    overflow: (excess) => ({ status, body: { error: { message: message(excess), ...rest } } }),
    wall: cutAtMaxTokens,
  };
}

const wanted = ({ maxTokens }: Excess): number => maxTokens ?? 0;

/** How servers say that a request does not fit, and how they end an answer at the wall. Words from captured answers. */
export const serverKinds = {
  openai,
  /** OpenAI after its stream has begun. */
  'openai-in-stream': {
    ...openai,
    overflowEvents: (excess) => {
      if (excess.dialect === 'chat') return [{ data: JSON.stringify({ error: openAiError(excess) }) }];
      if (excess.dialect === 'messages') return undefined;
      const { code, message } = openAiError(excess);
      const response = { id: 'resp_0', object: 'response', model: 'm', output: [], usage: null };
      const states = [
        { type: 'response.created', response: { ...response, status: 'in_progress', error: null } },
        { type: 'response.in_progress', response: { ...response, status: 'in_progress', error: null } },
        { type: 'response.failed', response: { ...response, status: 'failed', error: { code, message } } },
      ];
      return states.map((state, number) => ({
        event: state.type,
        data: JSON.stringify({ ...state, sequence_number: number }),
      }));
    },
  },
  anthropic: {
    overflow: ({ prompt, window, maxTokens }) => ({
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message:
            prompt >= window
              ? `prompt is too long: ${prompt} tokens > ${window} maximum`
              : `input length and \`max_tokens\` exceed context limit: ${prompt} + ${maxTokens} > ${window}, decrease input length or \`max_tokens\` and try again`,
        },
        request_id: 'req_0',
      },
    }),
    wall: { messages: 'model_context_window_exceeded', responses: 'incomplete' },
  },
  'llama.cpp': llamaCpp,
  vllm: {
    overflow: (excess) => {
      const longest = excess.window - wanted(excess);
      // It stops counting one token behind what fits.
      const counted = Math.min(excess.prompt, longest + 1);
      const message = `You passed ${counted} input tokens and requested ${wanted(excess)} output tokens. However, the model's context length is only ${excess.window} tokens, resulting in a maximum input length of ${longest} tokens. Please reduce the length of the input prompt.`;
      const error = { message, type: 'BadRequestError', param: 'input_tokens', code: 400 };
      return { status: 400, body: { error } };
    },
    countsMaxTokens: true,
    wall: cutAtMaxTokens,
    model: (window) => ({ max_model_len: window }),
  },
  'vllm-old': {
    overflow: (excess) => ({
      status: 400,
      body: {
        object: 'error',
        message: `This model's maximum context length is ${excess.window} tokens. However, you requested ${excess.prompt + wanted(excess)} tokens (${excess.prompt} in the messages, ${wanted(excess)} in the completion). Please reduce the length of the messages or completion.`,
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    }),
    countsMaxTokens: true,
    wall: cutAtMaxTokens,
    model: (window) => ({ max_model_len: window }),
  },
  sglang: {
    overflow: ({ prompt, window }) => ({
      status: 400,
      body: {
        object: 'error',
        message: `The input (${prompt} tokens) is longer than the model's context length (${window} tokens).`,
        type: 'BadRequest',
        param: null,
        code: 400,
      },
    }),
    wall: cutAtMaxTokens,
    model: (window) => ({ max_model_len: window }),
  },
  'lm-studio': {
    overflow: (excess) => ({ status: 400, body: { error: lmStudioMessage(excess) } }),
    overflowEvents: (excess) => {
      const message = lmStudioMessage(excess);
      return [{ event: 'error', data: JSON.stringify({ error: { message }, message }) }];
    },
    wall: cutAtMaxTokens,
  },
  openrouter: {
    ...openAiText(
      (excess) =>
        `This endpoint's maximum context length is ${excess.window} tokens. However, you requested about ${excess.prompt + wanted(excess)} tokens (${excess.prompt} of text input, ${wanted(excess)} in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.`,
      { code: 400, metadata: { provider_name: null } },
    ),
    countsMaxTokens: true,
    model: (window) => ({ context_length: window, top_provider: { context_length: window } }),
  },
  xai: openAiText(
    ({ prompt, window }) =>
      `This model's maximum prompt length is ${window} but the request contains ${prompt} tokens.`,
  ),
  mistral: openAiText(
    ({ prompt, window }) =>
      `Prompt contains ${prompt} tokens, too large for model with ${window} maximum context length`,
  ),
  groq: openAiText(() => 'Please reduce the length of the messages or completion.', {
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  }),
  /** A gateway that puts the answer of the server behind it, as text, into its own. */
  gateway: openAiText((excess) => `Error from provider (400): ${JSON.stringify(llamaCpp.overflow(excess))}`, {
    type: 'api_error',
    code: 'provider_response_error',
  }),
  /** Status 413 without a body, as from a load balancer. */
  'no-words': { overflow: () => ({ status: 413, body: undefined }), wall: cutAtMaxTokens },
  ollama: {
    ...openAiText(
      () =>
        'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length',
    ),
    cutsSilently: true,
  },
} as const satisfies Readonly<Record<string, ServerKind>>;

export type ServerName = keyof typeof serverKinds;

export function serverKind(name: ServerName): ServerKind {
  return serverKinds[name];
}
