import { createAnthropicDriver } from '@throughline/drivers';
import { reply } from '../fake-server.ts';
import { namedEvent } from './wire.ts';
import type { Said, Wire } from './wire.ts';

const finishes = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use', refusal: 'refusal' };

function start(usage: Said['usage']): string {
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
  return namedEvent({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm-2026',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: input - cacheRead - cacheWrite,
        cache_creation_input_tokens: cacheWrite,
        cache_read_input_tokens: cacheRead,
        output_tokens: usage ? 1 : 0,
      },
    },
  });
}

function block(index: number, begin: object, deltas: readonly object[]): readonly string[] {
  return [
    namedEvent({ type: 'content_block_start', index, content_block: begin }),
    ...deltas.map((delta) => namedEvent({ type: 'content_block_delta', index, delta })),
    namedEvent({ type: 'content_block_stop', index }),
  ];
}

function say({ reasoning = [], text = [], calls = [], finish, usage }: Said): readonly string[] {
  const blocks: (readonly [object, readonly object[]])[] = [];
  if (reasoning.length > 0) {
    blocks.push([
      { type: 'thinking', thinking: '', signature: '' },
      [
        ...reasoning.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
      ],
    ]);
  }
  if (text.length > 0) {
    blocks.push([{ type: 'text', text: '' }, text.map((piece) => ({ type: 'text_delta', text: piece }))]);
  }
  for (const { id, name, input } of calls) {
    blocks.push([
      { type: 'tool_use', id, name, input: {} },
      ['', ...input].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    ]);
  }
  return [
    start(usage),
    'event: ping\ndata: {"type": "ping"}\n\n',
    ...blocks.flatMap(([begin, deltas], index) => block(index, begin, deltas)),
    namedEvent({
      type: 'message_delta',
      delta: { stop_reason: finishes[finish], stop_sequence: null },
      usage: {
        output_tokens: usage?.output ?? 0,
        output_tokens_details: { thinking_tokens: usage?.reasoning ?? 0 },
      },
    }),
    namedEvent({ type: 'message_stop' }),
  ];
}

const overflow = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'prompt is too long: 139162 tokens > 131072 maximum' },
};
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

export const anthropicWire: Wire = {
  name: 'anthropic',
  format: 'anthropic',
  create: (url, apiKey) => createAnthropicDriver({ model: 'm', baseUrl: url, ...(apiKey && { apiKey }) }),
  say,
  errors: {
    overflow: reply(400, overflow, { 'request-id': 'req_1' }),
    rate: reply(
      429,
      {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
      },
      { 'retry-after': '7' },
    ),
    auth: reply(401, {
      type: 'error',
      error: { type: 'authentication_error', message: 'invalid x-api-key sk-secret' },
    }),
    down: reply(529, overloaded),
  },
  overflowInStream: [namedEvent(overflow)],
  overloadedInStream: [
    start(undefined),
    namedEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    namedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } }),
    namedEvent(overloaded),
  ],
  silentOn: [],
};
