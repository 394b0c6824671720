import { createOpenaiChatDriver } from '@throughline/drivers';
import { reply } from '../fake-server.ts';
import { dataEvent } from './wire.ts';
import type { Said, Wire } from './wire.ts';

const finishes = { stop: 'stop', length: 'length', 'tool-calls': 'tool_calls', refusal: 'content_filter' };

function chunk(delta: object, finish: string | null = null): string {
  return dataEvent({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm-2026',
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  });
}

function say({ reasoning = [], text = [], calls = [], finish, usage }: Said): readonly string[] {
  return [
    chunk({ role: 'assistant', content: '' }),
    ...reasoning.map((piece) => chunk({ reasoning_content: piece })),
    ...text.map((piece) => chunk({ content: piece })),
    ...calls.flatMap(({ id, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...input.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finishes[finish]),
    ...(usage
      ? [
          dataEvent({
            id: 'chatcmpl-1',
            object: 'chat.completion.chunk',
            created: 1,
            model: 'm-2026',
            choices: [],
            usage: {
              prompt_tokens: usage.input,
              completion_tokens: usage.output,
              total_tokens: usage.input + usage.output,
              prompt_tokens_details: { cached_tokens: usage.cacheRead },
              completion_tokens_details: { reasoning_tokens: usage.reasoning },
            },
          }),
        ]
      : []),
    dataEvent('[DONE]'),
  ];
}

const overflow = {
  message:
    "This model's maximum context length is 131072 tokens. However, you requested 139162 tokens (130970 in the messages, 8192 in the completion).",
  type: 'invalid_request_error',
  param: 'messages',
  code: 'context_length_exceeded',
};

export const openaiChatWire: Wire = {
  name: 'openai chat',
  format: 'openai-chat',
  create: (url, apiKey) =>
    createOpenaiChatDriver({ model: 'm', baseUrl: `${url}/v1`, ...(apiKey && { apiKey }) }),
  say,
  errors: {
    overflow: reply(400, { error: overflow }),
    rate: reply(
      429,
      { error: { message: 'Rate limit reached for m', type: 'tokens', code: 'rate_limit_exceeded' } },
      { 'retry-after': '7' },
    ),
    auth: reply(401, {
      error: { message: 'Incorrect API key provided: sk-secret', code: 'invalid_api_key' },
    }),
    down: reply(503, { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } }),
  },
  overflowInStream: [`event: error\n${dataEvent({ error: overflow, message: overflow.message })}`],
  overloadedInStream: [
    chunk({ content: 'Half' }),
    dataEvent({ error: { code: 502, message: 'Provider returned error' }, choices: [] }),
  ],
  silentOn: ['cacheWrite'],
};
