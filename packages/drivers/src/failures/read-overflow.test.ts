import { describe, expect, it } from 'vitest';
import { overflowMessages, tooLargeForMinute } from './overflow-messages.ts';
import { messagePattern, numbersOf, readOverflow } from './read-overflow.ts';
import type { Overflow } from './read-overflow.ts';

type Row = readonly [
  who: string,
  status: number | undefined,
  body: unknown,
  expected: Omit<Overflow, 'kind'>,
];

const openai = (message: string, more: object = {}): unknown => ({
  error: { message, type: 'invalid_request_error', ...more },
});
const exceeded = { code: 'context_length_exceeded', param: 'messages' };
const tokens = (promptTokens: number, limitTokens: number, outputTokens?: number) => ({
  promptTokens,
  limitTokens,
  ...(outputTokens !== undefined && { outputTokens }),
});

/** Bodies as servers send them. */
const overflows: readonly Row[] = [
  [
    'an older proxy, which counts the room for the answer in',
    400,
    openai("This model's maximum context length is 4096 tokens. However, you requested 5500 tokens"),
    { limitTokens: 4_096 },
  ],
  [
    'OpenAI',
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150432 tokens. Please reduce the length of the messages.",
      exceeded,
    ),
    tokens(150_432, 128_000),
  ],
  [
    'OpenAI, with tools',
    400,
    openai(
      "This model's maximum context length is 16385 tokens. However, you requested 17000 tokens (12000 in the messages, 904 in the functions, and 4096 in the completion). Please reduce the length of the messages, functions, or completion.",
      exceeded,
    ),
    tokens(12_904, 16_385, 4_096),
  ],
  [
    'OpenAI, newer models',
    400,
    openai(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 477469 tokens.',
      exceeded,
    ),
    tokens(477_469, 272_000),
  ],
  [
    'OpenAI Responses, inside a stream',
    undefined,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        param: 'input',
      },
    },
    {},
  ],
  [
    'OpenAI Responses, failed',
    undefined,
    { code: 'context_length_exceeded', message: 'Something new that nobody has read yet' },
    {},
  ],
  [
    'DeepSeek',
    400,
    openai(
      "This model's maximum context length is 131072 tokens. However, you requested 139162 tokens (130970 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    ),
    tokens(130_970, 131_072, 8_192),
  ],
  [
    'OpenRouter',
    400,
    {
      error: {
        message:
          "This endpoint's maximum context length is 204800 tokens. However, you requested about 274290 tokens (254087 of text input, 4203 of tool input, 16000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.",
        code: 400,
      },
    },
    tokens(258_290, 204_800, 16_000),
  ],
  [
    'OpenRouter, behind its own words',
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}',
          provider_name: 'Anthropic',
        },
      },
    },
    tokens(208_310, 200_000),
  ],
  [
    'Anthropic',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 208310 tokens > 200000 maximum' },
    },
    tokens(208_310, 200_000),
  ],
  [
    'Anthropic, with the room for the answer',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 143653 + 64000 > 200000, decrease input length or `max_tokens` and try again',
      },
    },
    tokens(143_653, 200_000, 64_000),
  ],
  [
    'Gemini',
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
        status: 'INVALID_ARGUMENT',
      },
    },
    tokens(1_196_265, 1_048_575),
  ],
  ['Bedrock', 400, { __type: 'ValidationException', message: 'Input is too long for requested model.' }, {}],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 66385 tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_prompt',
    },
    tokens(66_385, 32_768),
  ],
  ['Groq', 400, openai('Please reduce the length of the messages or completion.', exceeded), {}],
  [
    'Groq, too large for any minute',
    413,
    {
      error: {
        message:
          'Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    tokens(14_810, 6_000),
  ],
  [
    'OpenAI, too large for any minute',
    429,
    {
      error: {
        message:
          'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 43209. The input or output tokens must be reduced in order to run successfully.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    tokens(43_209, 30_000),
  ],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 500000 but the request contains 907154 tokens.",
    },
    tokens(907_154, 500_000),
  ],
  [
    'Together',
    400,
    openai("The input (516368 tokens) is longer than the model's context length (262144 tokens)."),
    tokens(516_368, 262_144),
  ],
  [
    'Cerebras',
    400,
    {
      message:
        'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
    tokens(42_328, 40_000),
  ],
  ['Cerebras, without a body', 400, '', { isSilent: true }],
  [
    'Cohere',
    400,
    { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.' },
    tokens(4_292, 4_081),
  ],
  [
    'LiteLLM',
    400,
    {
      error: {
        message:
          "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        type: null,
        param: null,
        code: '400',
      },
    },
    tokens(9_001, 8_192),
  ],
  [
    'LiteLLM, before the call',
    400,
    {
      error: {
        message: 'Context Window exceeded for given call. No models have context window large enough.',
      },
    },
    {},
  ],
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 6030,
        n_ctx: 4096,
      },
    },
    tokens(6_030, 4_096),
  ],
  [
    'llama.cpp, older',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 6030,
        n_ctx: 4096,
      },
    },
    tokens(6_030, 4_096),
  ],
  [
    'llama.cpp behind Portkey, which drops the fields',
    400,
    {
      error: {
        message:
          'openai error: request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it',
        type: 'exceed_context_size_error',
        param: null,
        code: '400',
      },
      provider: 'openai',
    },
    tokens(6_030, 4_096),
  ],
  [
    'llama.cpp behind a router that wraps bodies in text',
    400,
    {
      error: {
        message:
          'Error from provider(llama,m: 400): {"error":{"code":400,"message":"request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":6030,"n_ctx":4096}}\n    at sendRequest (server.cjs:12:34)',
        type: 'api_error',
        code: 'provider_response_error',
      },
    },
    tokens(6_030, 4_096),
  ],
  [
    'Ollama',
    400,
    {
      error:
        'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length',
    },
    {},
  ],
  ['Ollama, older', 400, { error: 'prompt too long; exceeded max context length by 1234 tokens' }, {}],
  ['Ollama, embeddings', 400, { error: 'the input length exceeds the context length' }, {}],
  [
    'LM Studio',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input',
    },
    tokens(13_055, 4_096),
  ],
  [
    'LM Studio, inside a stream',
    undefined,
    {
      error: {
        message:
          'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096)',
      },
    },
    tokens(13_055, 4_096),
  ],
  [
    'LM Studio, older',
    400,
    {
      error:
        'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.',
    },
    tokens(111_490, 32_768),
  ],
  ['LM Studio, MLX', 400, { error: 'Context size has been exceeded.' }, {}],
  [
    'LM Studio, while it writes',
    undefined,
    {
      error: {
        message:
          'Reached context length of 4096 tokens with model (arch: qwen3) that does not currently support mid-generation context overflow.',
      },
    },
    { limitTokens: 4_096 },
  ],
  [
    'vLLM',
    400,
    {
      error: {
        message:
          "You passed 9001 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 7192 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=9001)",
        type: 'BadRequestError',
        param: 'input_tokens',
        code: 400,
      },
    },
    tokens(9_001, 8_192, 1_000),
  ],
  [
    'vLLM, characters',
    400,
    {
      error: {
        message:
          "You passed 900100 input characters and requested 1000 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 7192 tokens (at most 57536 characters).",
        type: 'BadRequestError',
        param: 'input_text',
        code: 400,
      },
    },
    { limitTokens: 8_192, outputTokens: 1_000 },
  ],
  [
    'vLLM, older',
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 10001 tokens (9001 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    tokens(9_001, 8_192, 1_000),
  ],
  [
    'SGLang',
    400,
    {
      object: 'error',
      message: "The input (9001 tokens) is longer than the model's context length (8192 tokens).",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    tokens(9_001, 8_192),
  ],
  [
    'SGLang, with the room for the answer',
    400,
    {
      object: 'error',
      message:
        "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 10001 tokens: 9001 tokens from the input messages and 1000 tokens for the completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    tokens(9_001, 8_192, 1_000),
  ],
  [
    'TGI',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 6000 `inputs` tokens and 512 `max_new_tokens`',
      error_type: 'validation',
    },
    tokens(6_000, 4_096, 512),
  ],
  [
    'TGI, prompt alone',
    422,
    {
      error: 'Input validation error: `inputs` must have less than 4096 tokens. Given: 6000',
      error_type: 'validation',
    },
    tokens(6_000, 4_096),
  ],
  ['mlx-serve', 400, { error: 'Prompt exceeds maximum context length' }, {}],
  [
    'DS4',
    400,
    { error: { message: 'Prompt has 6000 tokens, but the configured context size is 4096 tokens' } },
    tokens(6_000, 4_096),
  ],
  [
    'Kimi, with status 401',
    401,
    openai('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)'),
    tokens(300_000, 262_144),
  ],
  ['MiniMax', 400, openai('invalid params, context window exceeds limit (2013)'), {}],
  ['z.ai', 400, { error: { code: '1261', message: 'Prompt too long' } }, {}],
  [
    'DashScope',
    400,
    openai('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]'),
    { limitTokens: 30_720 },
  ],
  [
    'GitHub Copilot',
    400,
    {
      error: {
        message: 'prompt token count of 70302 exceeds the limit of 64000',
        code: 'model_max_prompt_tokens_exceeded',
      },
    },
    tokens(70_302, 64_000),
  ],
  [
    'Poolside',
    400,
    openai('Input length 140000 exceeds the maximum allowed input length of 131072 tokens.'),
    tokens(140_000, 131_072),
  ],
  [
    'SiliconFlow',
    400,
    {
      code: 20015,
      message: 'length of prompt_tokens (163280) must be less than max_seq_len (32768).',
      data: null,
    },
    tokens(163_280, 32_768),
  ],
  [
    'a gateway that names both numbers and no window',
    400,
    openai('prompt tokens limit exceeded: 52341 > 40960', { code: 400 }),
    tokens(52_341, 40_960),
  ],
  [
    'a server that calls it the length of the input',
    400,
    openai('Input length 70000 exceeds the maximum length 65536'),
    tokens(70_000, 65_536),
  ],
  [
    'vLLM, with too much room for the answer beside a prompt that fits',
    400,
    {
      error: {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 400 input tokens (9000 > 8192 - 400).",
        type: 'BadRequestError',
        param: 'max_tokens',
        code: 400,
      },
    },
    tokens(400, 8_192, 9_000),
  ],
  [
    'Fireworks',
    400,
    openai('The prompt is too long: 258000, model maximum context length: 131071'),
    tokens(258_000, 131_071),
  ],
];

/** An error as the SDKs throw it: the status and the inner part of the body in fields. */
function thrown(status: number | undefined, body: unknown): Error {
  if (body === '') return Object.assign(new Error(`${status} status code (no body)`), { status });
  const inner = (body as { error?: unknown }).error ?? body;
  return Object.assign(new Error(`${status} ${JSON.stringify(inner)}`), { status, error: inner });
}

describe('readOverflow', () => {
  it.each(overflows)('reads the refusal of %s', (_, status, body, expected) => {
    const overflow = { kind: 'tokens', ...expected };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (const error of [{ status, body }, { status, body: text }, thrown(status, body)]) {
      const { words = '', ...said } = readOverflow(error) ?? {};
      expect(said).toEqual(overflow);
      // Also of a body inside a text, where a quotation mark has a backslash in front.
      expect(text.replaceAll('\\', '')).toContain(words.replaceAll('\\', ''));
    }
  });

  it.each([...overflowMessages, tooLargeForMinute])('has a body of a server for its row "%s"', (message) => {
    const pattern = messagePattern(message);
    const general =
      /^(maximum context length (is|of) \{limit\}|context length is only|exceed the configured|exceeds the (maximum|available)|longer than the|too large for model|reduce the length|prompt is too long$)/;
    const texts = overflows.map(([, , body]) => JSON.stringify(body).replaceAll('\\"', '"'));
    const isCovered = texts.some((text) => pattern.test(text));
    expect(isCovered || general.test(message) || unseen.has(message)).toBe(true);
  });

  it.each([
    [
      'Anthropic',
      413,
      { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    ],
    ['a proxy', 413, '<html><head><title>413 Request Entity Too Large</title></head></html>'],
    ['a proxy without a body', 413, ''],
    ['GitHub Copilot', 413, 'failed to parse request'],
    [
      'OpenAI',
      400,
      openai(
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
        {
          code: 'string_above_max_length',
        },
      ),
    ],
    [
      'Gemini',
      400,
      { error: { code: 400, message: 'Request payload size exceeds the limit: 20971520 bytes.' } },
    ],
  ])('takes the bytes of %s for bytes', (_, status, body) => {
    expect(readOverflow({ status, body })).toEqual({ kind: 'bytes' });
  });

  it.each([
    [
      'Anthropic, size',
      400,
      'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
    ],
    [
      'Anthropic, dimensions',
      400,
      'messages.4.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    ],
    ['Anthropic, broken', 400, 'Could not process image'],
    ['Anthropic, pages', 400, 'A maximum of 100 PDF pages may be provided.'],
    ['OpenAI', 400, 'You uploaded an unsupported image. Please make sure your image is valid.'],
    ['vLLM', 400, 'At most 1 image(s) may be provided in one prompt.'],
    ['Gemini', 400, 'Unable to process input image. Please retry or report'],
  ])('takes the media of %s for media', (_, status, message) => {
    expect(readOverflow({ status, message })).toEqual({ kind: 'media' });
  });

  it.each([
    [404, 'No endpoints found that support image input'],
    [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
    [400, 'm is not a multimodal model'],
  ])('knows a model that takes no images (%s)', (status, message) => {
    expect(readOverflow({ status, message })).toEqual({ kind: 'media', takesNoImages: true });
  });

  it.each([
    [400, 'ThrottlingException: Too many tokens, please wait before trying again.'],
    [400, 'Rate limit reached: Limit 6000, Requested 14810, maximum context length is 8192'],
    [
      429,
      'Rate limit reached for gpt-4 on tokens per min (TPM): Limit 10000, Used 9000, Requested 1500. Please try again in 3s.',
    ],
    [
      413,
      'Request too large for m on tokens per minute (TPM): Limit 6000, Requested 1481, please try again later',
    ],
    [429, 'prompt is too long: 208310 tokens > 200000 maximum'],
    [400, 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens'],
    [400, 'max_completion_tokens is too large: 100000'],
    [503, 'Service unavailable: maximum context length is 3 tokens'],
    [
      402,
      'Prompt tokens limit exceeded: 30000 > 12000. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account',
    ],
    [400, 'max_tokens: 40000 > 32000, which is the maximum allowed number of output tokens'],
    [401, 'invalid api key'],
    [500, 'internal error'],
    [404, 'model not found'],
    [undefined, 'connect ECONNREFUSED 127.0.0.1:9'],
  ])('does not take (%s) "%s" for an overflow', (status, message) => {
    expect(readOverflow({ status, message })).toBeUndefined();
    expect(readOverflow(thrown(status, { error: { message } }))).toBeUndefined();
  });

  it.each([[{ error: { message: 'Bad Request' } }], [{ error: 'bad request' }], [{}], ['']])(
    'says of a refusal that says nothing that it is one (%j)',
    (body) => {
      expect(readOverflow({ status: 400, body })).toEqual({ kind: 'tokens', isSilent: true });
      expect(readOverflow({ status: 422, body })).toBeUndefined();
    },
  );

  it('tells by which words it knows one that has no name, so that they can be looked for in the request', () => {
    const message = "foo: 'the prompt is too long: 7 tokens > 5 maximum', says the user, is not permitted";
    const words = 'prompt is too long: 7 tokens > 5 maximum';
    expect(readOverflow({ status: 400, message })).toEqual({ kind: 'tokens', words, ...tokens(7, 5) });
    const named = { status: 400, message, code: 'context_length_exceeded' };
    expect(readOverflow(named)).toEqual({ kind: 'tokens', ...tokens(7, 5) });
  });

  it('does not look at the request that some errors carry', () => {
    const requestBodyValues = { messages: ['prompt is too long: 3 tokens > 2 maximum'] };
    expect(readOverflow(Object.assign(new Error('no'), { status: 400, requestBodyValues }))).toBeUndefined();
  });

  it.each([undefined, null, 3, 'text', [], {}, new Error(''), { status: 400, error: 'x'.repeat(10) }])(
    'takes anything (%#)',
    (error) => {
      expect(readOverflow(error)).toBeUndefined();
    },
  );

  it('takes circles and fields that throw', () => {
    const circle: Record<string, unknown> = { message: 'prompt is too long: 3 tokens > 2 maximum' };
    circle['error'] = { cause: circle };
    expect(readOverflow(circle)).toMatchObject({ limitTokens: 2 });
    const trap = {
      get message(): string {
        throw new Error('no');
      },
    };
    expect(readOverflow(trap)).toBeUndefined();
  });

  it('ignores numbers that are none', () => {
    const words = 'prompt is too long: 0 tokens > 0 maximum';
    expect(readOverflow({ status: 400, message: words })).toEqual({ kind: 'tokens', words });
    expect(
      readOverflow({ error: { type: 'exceed_context_size_error', n_ctx: '4096', n_prompt_tokens: -1 } }),
    ).toEqual({ kind: 'tokens' });
  });
});

/** Rows told by others, of which nobody has kept a body, and second forms of a row above. */
const unseen = new Set([
  'maximum context length is {limit} tokens. However, your request has {prompt} input tokens',
  'maximum context length is {limit} tokens{any}your prompt contains at least {prompt} input tokens',
  'maximum context length is {limit} tokens{any}your prompt contains {prompt} input tokens',
]);

function read(pattern: string, text: string): unknown {
  const match = messagePattern(pattern).exec(text);
  return match && numbersOf(match);
}

describe('messagePattern', () => {
  it('reads numbers where the message has them, with or without commas', () => {
    expect(read('prompt {prompt} > {limit} maximum', 'The PROMPT 1,208,310 >  200000\nmaximum.')).toEqual({
      prompt: 1_208_310,
      limit: 200_000,
    });
  });

  it('takes everything else by the letter', () => {
    expect(read('[1, {limit}] (a.b)?', '[1, 30] (a.b)?')).toEqual({ limit: 30 });
    expect(read('a.b', 'axb')).toBeNull();
  });

  it('leaves a bounded gap', () => {
    expect(read('from {any} to {limit}', `from ${'x'.repeat(150)} to 5`)).toEqual({ limit: 5 });
    expect(read('from {any} to {limit}', `from ${'x'.repeat(250)} to 5`)).toBeNull();
  });
});
