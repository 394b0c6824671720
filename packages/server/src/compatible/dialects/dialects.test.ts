import { describe, expect, it } from 'vitest';
import { chatDialect } from './chat.ts';
import { messagesDialect } from './messages.ts';
import { responsesDialect } from './responses.ts';
import { RequestFault } from '../wire/request-fault.ts';
import type { About, Dialect, ModelAsk, AnswerPiece } from '../wire/dialect.ts';

const about: About = {
  id: 'resp_1',
  model: 'm',
  createdAtMs: 5_000,
  estimatedTokens: 7,
  wantsUsage: true,
  previousResponseId: undefined,
};
const usage = { input: 10, output: 4, reasoning: 1, cacheRead: 6, cacheWrite: 1, total: 14 };
const pieces: readonly AnswerPiece[] = [
  { type: 'reasoning', delta: 'hm' },
  { type: 'text', delta: 'Hel' },
  { type: 'text', delta: 'lo' },
];
const fault = { kind: 'upstream', message: 'gone' } as const;

/** Data of the frames, and the names they have. */
function framesOf(text: string): readonly unknown[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const data = frame.slice(frame.indexOf('data: ') + 6);
      return data === '[DONE]' ? data : (JSON.parse(data) as unknown);
    });
}

function told(dialect: Dialect, last: 'end' | 'fail' = 'end'): readonly unknown[] {
  const writer = dialect.write(about);
  const said = writer.begin() + pieces.map((piece) => writer.take(piece)).join('');
  return framesOf(said + (last === 'end' ? writer.end({ finish: 'stop', usage }) : writer.fail(fault)));
}

const delta = (more: object, reason: string | null = null): object => ({
  id: 'resp_1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'm',
  choices: [{ index: 0, delta: more, logprobs: null, finish_reason: reason }],
});
const typed = (type: string, more: object = {}): object => ({ type, ...more });

describe('an answer as frames', () => {
  it('chat completions', () => {
    expect(told(chatDialect)).toEqual([
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'Hel' }),
      delta({ content: 'lo' }),
      delta({}, 'stop'),
      expect.objectContaining({
        choices: [],
        usage: expect.objectContaining({ prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }),
      }),
      '[DONE]',
    ]);
  });

  it('messages', () => {
    expect(told(messagesDialect)).toMatchObject([
      typed('message_start', { message: { id: 'resp_1', usage: { input_tokens: 7 } } }),
      typed('content_block_start', { index: 0, content_block: { type: 'thinking' } }),
      typed('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } }),
      typed('content_block_stop', { index: 0 }),
      typed('content_block_start', { index: 1, content_block: { type: 'text' } }),
      typed('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Hel' } }),
      typed('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'lo' } }),
      typed('content_block_stop', { index: 1 }),
      typed('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: {
          input_tokens: 3,
          cache_read_input_tokens: 6,
          cache_creation_input_tokens: 1,
          output_tokens: 4,
        },
      }),
      typed('message_stop'),
    ]);
  });

  it('responses', () => {
    const frames = told(responsesDialect);
    expect(frames).toMatchObject([
      typed('response.created'),
      typed('response.in_progress'),
      typed('response.output_item.added', { output_index: 0, item: { type: 'reasoning', summary: [] } }),
      typed('response.reasoning_summary_part.added', { summary_index: 0 }),
      typed('response.reasoning_summary_text.delta', { item_id: 'rs_resp_1_0', delta: 'hm' }),
      typed('response.reasoning_summary_text.done', { text: 'hm' }),
      typed('response.reasoning_summary_part.done'),
      typed('response.output_item.done', { item: { summary: [{ type: 'summary_text', text: 'hm' }] } }),
      typed('response.output_item.added', { output_index: 1, item: { type: 'message', content: [] } }),
      typed('response.content_part.added', { content_index: 0 }),
      typed('response.output_text.delta', { item_id: 'msg_resp_1_1', delta: 'Hel' }),
      typed('response.output_text.delta', { delta: 'lo' }),
      typed('response.output_text.done', { text: 'Hello' }),
      typed('response.content_part.done'),
      typed('response.output_item.done', { item: { content: [{ text: 'Hello' }], status: 'completed' } }),
      typed('response.completed', { response: { status: 'completed', usage: { total_tokens: 14 } } }),
    ]);
    expect(frames.map((frame) => (frame as { sequence_number: number }).sequence_number)).toEqual(
      frames.map((_, index) => index),
    );
  });

  it('that is cut off by a fault has no clean end', () => {
    expect(told(chatDialect, 'fail').at(-1)).toMatchObject({
      error: { message: 'gone', type: 'server_error' },
    });
    expect(told(messagesDialect, 'fail').at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'api_error', message: 'gone' },
    });
    expect(told(responsesDialect, 'fail').at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { message: 'gone' } },
    });
  });
});

describe('an answer in one piece', () => {
  it.each([
    [
      'chat completions',
      chatDialect,
      { choices: [{ message: { content: 'Hello', reasoning_content: 'hm' }, finish_reason: 'length' }] },
    ],
    [
      'messages',
      messagesDialect,
      { content: [{ thinking: 'hm' }, { text: 'Hello' }], stop_reason: 'max_tokens' },
    ],
    [
      'responses',
      responsesDialect,
      {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ type: 'reasoning' }, { type: 'message' }],
      },
    ],
  ] as const)('%s', (_, dialect, whole) => {
    expect(dialect.whole(about, pieces, { finish: 'length', usage: undefined })).toMatchObject(whole);
  });
});

const textsIn = (...texts: readonly string[]): readonly object[] =>
  texts.map((text) => ({ type: 'text', text }));
const user = (...texts: readonly string[]): object => ({ role: 'user', parts: textsIn(...texts) });
const assistant = (...texts: readonly string[]): object => ({ ...user(...texts), role: 'assistant' });
const png = { type: 'image', mediaType: 'image/png', data: 'AAAA' };

const requests: readonly (readonly [string, Dialect, object, Partial<ModelAsk> | object])[] = [
  [
    'chat: all system text, wherever it stands, and everything said since the last answer',
    chatDialect,
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'One.' },
        { role: 'user', content: 'A' },
        { role: 'assistant', content: 'B' },
        { role: 'developer', content: [{ type: 'text', text: 'Two.' }] },
        { role: 'user', content: 'C' },
        { role: 'user', content: 'D' },
      ],
    },
    { instructions: 'One.\n\nTwo.', earlier: [user('A'), assistant('B')], content: textsIn('C', 'D') },
  ],
  [
    'chat: what a former agent did with tools is text',
    chatDialect,
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'A' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'seen' },
        { role: 'user', content: 'B' },
      ],
    },
    { earlier: [user('A'), assistant('[Called look with {"at":1}]', '[Result: seen]')] },
  ],
  [
    'chat: images and files',
    chatDialect,
    {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB', filename: 'a.pdf' } },
          ],
        },
      ],
    },
    { content: [png, { type: 'file', mediaType: 'application/pdf', data: 'BBBB', filename: 'a.pdf' }] },
  ],
  [
    'messages: system, a system message in the middle, and blocks',
    messagesDialect,
    {
      model: 'm',
      max_tokens: 5,
      system: [{ type: 'text', text: 'One.', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
        },
        { role: 'system', content: 'Two.' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: '' },
            { type: 'text', text: 'B' },
          ],
        },
        { role: 'user', content: 'C' },
      ],
    },
    {
      instructions: 'One.\n\nTwo.',
      earlier: [{ role: 'user', parts: [png] }, assistant('B')],
      wantsReasoning: false,
      ignored: ['max_tokens'],
    },
  ],
  [
    'messages: thinking that is shown',
    messagesDialect,
    { model: 'm', thinking: { type: 'adaptive' }, messages: [{ role: 'user', content: 'A' }] },
    { wantsReasoning: true },
  ],
  [
    'messages: thinking that is not shown',
    messagesDialect,
    {
      model: 'm',
      thinking: { type: 'adaptive', display: 'omitted' },
      messages: [{ role: 'user', content: 'A' }],
    },
    { wantsReasoning: false },
  ],
  [
    'responses: a text',
    responsesDialect,
    { model: 'm', input: 'A', instructions: 'One.' },
    { instructions: 'One.', earlier: [] },
  ],
  [
    'responses: items, and the answer that one of them refers to',
    responsesDialect,
    {
      model: 'm',
      input: [
        { role: 'developer', content: 'One.' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'A' }] },
        { type: 'reasoning', summary: [] },
        { type: 'item_reference', id: 'msg_resp_abc_0' },
        { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] },
      ],
    },
    { instructions: 'One.', previousResponseId: 'resp_abc' },
  ],
];

describe('a request', () => {
  it.each(requests)('%s', (_, dialect, body, ask) => {
    expect(dialect.read(body)).toMatchObject(ask);
  });

  it.each([
    [chatDialect, { messages: [{ role: 'user', content: 'A' }] }, 'model'],
    [chatDialect, { model: 'm', messages: [] }, 'messages'],
    [chatDialect, { model: 'm', messages: [{ role: 'robot', content: 'A' }] }, 'messages[0].role'],
    [
      chatDialect,
      {
        model: 'm',
        messages: [
          { role: 'user', content: 'A' },
          { role: 'assistant', content: 'B' },
        ],
      },
      'messages',
    ],
    [chatDialect, { model: 'm', messages: [{ role: 'user', content: '  ' }] }, 'messages'],
    [
      messagesDialect,
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'video' }] }] },
      'messages[0].content[0].type',
    ],
    [
      messagesDialect,
      {
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://x' } }] }],
      },
      'messages[0].content[0].source.type',
    ],
    [responsesDialect, { model: 'm' }, 'input'],
    [
      responsesDialect,
      { model: 'm', input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'http://x' }] }] },
      'input[0].content[0].file_data',
    ],
  ] as const)('that cannot be read names what is wrong: %#', (dialect, body, param) => {
    let thrown: unknown;
    try {
      dialect.read(body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(RequestFault);
    expect((thrown as RequestFault).fault).toMatchObject({ kind: 'bad-request', param });
  });
});
