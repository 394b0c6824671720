import { createOpenaiResponsesDriver } from '@throughline/drivers';
import { reply } from '../fake-server.ts';
import { namedEvent } from './wire.ts';
import type { Said, Wire } from './wire.ts';

type Item = { readonly id: string; readonly [field: string]: unknown };

interface Streamed {
  /** As it is added, and as it is done. */
  readonly added: Item;
  readonly done: Item;
  readonly events: readonly { readonly type: string; readonly [field: string]: unknown }[];
}

function reasoningItem(pieces: readonly string[]): Streamed {
  const item = { id: 'rs_1', type: 'reasoning' };
  return {
    added: { ...item, summary: [] },
    done: {
      ...item,
      summary: [{ type: 'summary_text', text: pieces.join('') }],
      encrypted_content: 'ZW5jcnlwdGVk',
    },
    events: [
      { type: 'response.reasoning_summary_part.added', summary_index: 0 },
      ...pieces.map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        item_id: 'rs_1',
        summary_index: 0,
        delta,
      })),
    ],
  };
}

function messageItem(pieces: readonly string[]): Streamed {
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  const place = { item_id: 'msg_1', content_index: 0 };
  const part = { type: 'output_text', text: pieces.join(''), annotations: [] };
  return {
    added: { ...item, status: 'in_progress', content: [] },
    done: { ...item, status: 'completed', content: [part] },
    events: [
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
      { type: 'response.output_text.done', ...place, text: pieces.join('') },
      { type: 'response.content_part.done', ...place, part },
    ],
  };
}

function callItem({ id, name, input }: NonNullable<Said['calls']>[number]): Streamed {
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name };
  const whole = input.join('');
  return {
    added: { ...item, status: 'in_progress', arguments: '' },
    done: { ...item, status: 'completed', arguments: whole },
    events: [
      ...input.map((delta) => ({ type: 'response.function_call_arguments.delta', item_id: item.id, delta })),
      { type: 'response.function_call_arguments.done', item_id: item.id, arguments: whole },
    ],
  };
}

const response = { id: 'resp_1', object: 'response', model: 'm-2026' };
const created = [
  namedEvent({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }),
  namedEvent({ type: 'response.in_progress', response: { ...response, status: 'in_progress', output: [] } }),
];

function say({ reasoning = [], text = [], calls = [], finish, usage }: Said): readonly string[] {
  const items = [
    ...(reasoning.length > 0 ? [reasoningItem(reasoning)] : []),
    ...(text.length > 0 ? [messageItem(text)] : []),
    ...calls.map(callItem),
  ];
  const isCut = finish === 'length' || finish === 'refusal';
  const type = isCut ? 'response.incomplete' : 'response.completed';
  return [
    ...created,
    ...items.flatMap(({ added, done, events }, output_index) => [
      namedEvent({ type: 'response.output_item.added', output_index, item: added }),
      ...events.map((event) => namedEvent({ output_index, ...event })),
      namedEvent({ type: 'response.output_item.done', output_index, item: done }),
    ]),
    namedEvent({
      type,
      response: {
        ...response,
        status: isCut ? 'incomplete' : 'completed',
        output: items.map(({ done }) => done),
        incomplete_details: isCut
          ? { reason: finish === 'length' ? 'max_output_tokens' : 'content_filter' }
          : null,
        ...(usage && {
          usage: {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cacheRead },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning },
            total_tokens: usage.input + usage.output,
          },
        }),
      },
    }),
  ];
}

const overflow = {
  type: 'invalid_request_error',
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  param: 'input',
};

export const openaiResponsesWire: Wire = {
  name: 'openai responses',
  format: 'openai-responses',
  create: (url, apiKey) =>
    createOpenaiResponsesDriver({ model: 'm', baseUrl: `${url}/v1`, ...(apiKey && { apiKey }) }),
  say,
  errors: {
    overflow: reply(400, {
      error: {
        ...overflow,
        message:
          'Input tokens exceed the configured limit of 131072 tokens. Your messages resulted in 139162 tokens. Please reduce the length of the messages.',
      },
    }),
    rate: reply(
      429,
      { error: { message: 'Rate limit reached for m', type: 'tokens', code: 'rate_limit_exceeded' } },
      { 'retry-after': '7' },
    ),
    auth: reply(401, {
      error: { message: 'Incorrect API key provided: sk-secret', code: 'invalid_api_key' },
    }),
    down: reply(500, { error: { message: 'The server had an error', type: 'server_error' } }),
  },
  overflowInStream: [
    ...created,
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: overflow })}\n\n`,
  ],
  overloadedInStream: [
    ...created,
    namedEvent({
      type: 'response.output_text.delta',
      output_index: 0,
      item_id: 'msg_1',
      content_index: 0,
      delta: 'Half',
    }),
    namedEvent({
      type: 'response.failed',
      response: {
        ...response,
        status: 'failed',
        error: { code: 'server_error', message: 'The server had an error while processing your request.' },
      },
    }),
  ],
  silentOn: ['cacheWrite'],
};
