import { describe, expect, it } from 'vitest';
import { readOverflow } from '@throughline/drivers';
import { dialectStreams } from './dialect-streams.ts';
import { SseSplitter } from './shared/sse-splitter.ts';
import { readEvent } from './shared/stream-event.ts';
import type { AnswerFacts } from './shared/facts.ts';
import type { DialectName } from './dialect-streams.ts';

type Facts = Partial<AnswerFacts>;
/** Events: a value, or a value with its name, or the lines as they are. */
type Event = object | string;
type Row = readonly [title: string, events: readonly Event[], facts: Facts];

function watch(dialect: DialectName, events: readonly Event[], isStructured = false): AnswerFacts {
  const watcher = dialectStreams[dialect].createWatcher({ isStructured });
  const text = events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}`));
  const splitter = new SseSplitter();
  for (const event of splitter.push(new TextEncoder().encode(`${text.join('\n\n')}\n\n`)))
    watcher.take(readEvent(event));
  watcher.close();
  return watcher.facts;
}

const chunk = (delta: object, rest: object = {}): object => ({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta, ...rest }],
});

const chatRows: readonly Row[] = [
  [
    'a role',
    [chunk({ role: 'assistant', content: '' })],
    { hasContent: false, position: 'between', id: 'c1', model: 'm' },
  ],
  [
    'text',
    [chunk({ content: 'ab' }), chunk({ content: 'c' })],
    { hasContent: true, fullText: 'abc', position: 'plain-text', outputCharacters: 3 },
  ],
  [
    'text in blocks',
    [
      chunk({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'a' },
        ],
      }),
    ],
    { fullText: 'a', position: 'plain-text', outputCharacters: 3 },
  ],
  [
    'reasoning_content',
    [chunk({ reasoning_content: 'hm' })],
    { position: 'reasoning', fullText: '', outputCharacters: 2, hasContent: true },
  ],
  [
    'reasoning told under several names',
    [chunk({ reasoning: 'hm', reasoning_content: 'hm', reasoning_details: [{ text: 'hm' }] })],
    { outputCharacters: 2 },
  ],
  [
    'reasoning in details alone',
    [chunk({ reasoning_details: [{ summary: 'hm' }] })],
    { position: 'reasoning', outputCharacters: 2 },
  ],
  [
    'a call',
    [chunk({ tool_calls: [{ index: 3, id: 'x', function: { name: 'f', arguments: '{' } }] })],
    { position: 'tool-arguments', hasCalls: true, outputCharacters: 2, hasContent: true },
  ],
  [
    'a custom call',
    [chunk({ tool_calls: [{ index: 0, custom: { name: 'f', input: 'ab' } }] })],
    { position: 'tool-arguments', outputCharacters: 3 },
  ],
  [
    'an old function call',
    [chunk({ function_call: { name: 'f', arguments: '{}' } })],
    { position: 'tool-arguments', hasCalls: true },
  ],
  ['a refusal', [chunk({ refusal: 'no' })], { position: 'refusal', hasContent: true }],
  ['audio', [chunk({ audio: { data: 'AAAA' } })], { position: 'tool-arguments', hasCalls: true }],
  [
    'fields that are null',
    [chunk({ content: null, tool_calls: null, refusal: null })],
    { hasContent: false },
  ],
  [
    'a finish',
    [chunk({}, { finish_reason: 'length' }), 'data: [DONE]'],
    { finish: 'length', finishReason: 'length', isDone: true },
  ],
  ['a finish without a last line', [chunk({}, { finish_reason: 'stop' })], { finish: 'stop', isDone: true }],
  ['no finish', [chunk({ content: 'a' })], { isDone: false, finish: undefined }],
  [
    'a finish that says nothing',
    [chunk({ content: 'a' }, { finish_reason: '' })],
    { finish: undefined, isDone: false },
  ],
  [
    'a finish nobody knows',
    [chunk({}, { finish_reason: 'tired' })],
    { finish: 'other', finishReason: 'tired' },
  ],
  [
    'a full window',
    [chunk({}, { finish_reason: 'model_context_window_exceeded' })],
    { finish: 'window-full' },
  ],
  ['several alternatives', [{ choices: [{ index: 1, delta: { content: 'a' } }] }], { hasManyChoices: true }],
  [
    'usage',
    [
      {
        choices: [],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 4,
          prompt_tokens_details: { cached_tokens: 5 },
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      },
    ],
    {
      usage: { inputTokens: 9, outputTokens: 4, reasoningTokens: 2, cacheReadTokens: 5, cacheWriteTokens: 0 },
    },
  ],
  [
    'usage of Groq',
    [{ choices: [], x_groq: { usage: { prompt_tokens: 9, completion_tokens: 4 } } }],
    {
      usage: { inputTokens: 9, outputTokens: 4, reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  ],
  [
    'timings of llama.cpp',
    [{ choices: [], timings: { prompt_n: 3, cache_n: 6, predicted_n: 4 } }],
    {
      usage: { inputTokens: 9, outputTokens: 4, reasoningTokens: 0, cacheReadTokens: 6, cacheWriteTokens: 0 },
    },
  ],
  ['no usage', [chunk({ content: 'a' })], { usage: undefined }],
  [
    'an error of a choice',
    [{ choices: [{ delta: {}, finish_reason: 'error', error: { message: 'gone' } }] }],
    { error: { error: { message: 'gone' } }, isDone: false },
  ],
  ['an error that is no JSON', ['event: error\ndata: gone'], { error: 'gone' }],
  [
    'what is no JSON',
    ['data: {"choices":[{"del', 'data: 7', ': note'],
    { hasContent: false, error: undefined },
  ],
];

const block = (type: string, rest: object = {}): object => ({
  type: 'content_block_start',
  index: 0,
  content_block: { type, ...rest },
});
const delta = (type: string, rest: object): object => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type, ...rest },
});
const messageStart = (usage: object): object => ({
  type: 'message_start',
  message: { id: 'm1', model: 'm', usage },
});

const messagesRows: readonly Row[] = [
  [
    'a start',
    [messageStart({ input_tokens: 3, output_tokens: 1 })],
    {
      id: 'm1',
      model: 'm',
      hasContent: false,
      usage: { inputTokens: 3, outputTokens: 0, reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  ],
  [
    'a prompt out of the cache',
    [messageStart({ input_tokens: 3, cache_read_input_tokens: 10, cache_creation_input_tokens: 5 })],
    {
      usage: {
        inputTokens: 18,
        outputTokens: 0,
        reasoningTokens: 0,
        cacheReadTokens: 10,
        cacheWriteTokens: 5,
      },
    },
  ],
  [
    'the truth at the end alone',
    [
      messageStart({ input_tokens: 0 }),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: 8, output_tokens: 4 },
      },
    ],
    {
      finish: 'stop',
      usage: { inputTokens: 8, outputTokens: 4, reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  ],
  [
    'an end that counts the prompt again',
    [
      messageStart({ input_tokens: 3, cache_read_input_tokens: 10 }),
      {
        type: 'message_delta',
        delta: {},
        usage: { input_tokens: 3, cache_read_input_tokens: 10, output_tokens: 4 },
      },
    ],
    {
      usage: {
        inputTokens: 13,
        outputTokens: 4,
        reasoningTokens: 0,
        cacheReadTokens: 10,
        cacheWriteTokens: 0,
      },
    },
  ],
  ['an empty block', [block('text', { text: '' })], { hasContent: false }],
  [
    'text',
    [block('text', { text: 'a' }), delta('text_delta', { text: 'b' })],
    { text: 'ab', position: 'plain-text', hasContent: true, outputCharacters: 2 },
  ],
  [
    'two texts',
    [block('text'), delta('text_delta', { text: 'a' }), block('text'), delta('text_delta', { text: 'b' })],
    { text: 'b', fullText: 'ab' },
  ],
  [
    'thinking',
    [
      block('thinking'),
      delta('thinking_delta', { thinking: 'hm' }),
      delta('signature_delta', { signature: 'xyz' }),
    ],
    { position: 'reasoning', outputCharacters: 2, hasContent: true },
  ],
  [
    'hidden thinking',
    [block('redacted_thinking', { data: 'x' })],
    { position: 'reasoning', hasContent: true },
  ],
  [
    'a call',
    [block('tool_use', { name: 'f' }), delta('input_json_delta', { partial_json: '{}' })],
    { position: 'tool-arguments', hasCalls: true, outputCharacters: 3 },
  ],
  ['a block nobody knows', [block('novel')], { hasCalls: true, hasContent: true }],
  [
    'the end of a block',
    [block('text'), delta('text_delta', { text: 'a' }), { type: 'content_block_stop', index: 0 }],
    { position: 'between', text: 'a' },
  ],
  [
    'a stop',
    [{ type: 'message_delta', delta: { stop_reason: 'max_tokens' } }],
    { finish: 'length', isDone: false },
  ],
  [
    'a full window',
    [{ type: 'message_delta', delta: { stop_reason: 'model_context_window_exceeded' } }],
    { finish: 'window-full' },
  ],
  ['an end', [{ type: 'message_stop' }], { isDone: true }],
  ['a ping', [{ type: 'ping' }], { hasContent: false }],
];

const item = (type: string, rest: object = {}): object => ({ id: 'i1', type, ...rest });
const added = (type: string, rest: object = {}): object => ({
  type: 'response.output_item.added',
  output_index: 0,
  item: item(type, rest),
});
const done = (type: string, rest: object = {}): object => ({
  type: 'response.output_item.done',
  output_index: 0,
  item: item(type, rest),
});
const at = { output_index: 0, item_id: 'i1', content_index: 0 };
const usage = {
  input_tokens: 9,
  output_tokens: 4,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens_details: { reasoning_tokens: 2 },
};
const message = { type: 'message', id: 'i1', content: [{ type: 'output_text', text: 'abc' }] };

const responsesRows: readonly Row[] = [
  [
    'a start',
    [{ type: 'response.created', response: { id: 'r1', model: 'm' } }],
    { id: 'r1', model: 'm', hasContent: false },
  ],
  ['a message', [added('message')], { hasContent: false, itemIds: ['i1'] }],
  [
    'text',
    [added('message'), { type: 'response.output_text.delta', ...at, delta: 'ab' }],
    { text: 'ab', position: 'plain-text', hasContent: true },
  ],
  [
    'the end of a text',
    [
      added('message'),
      { type: 'response.output_text.delta', ...at, delta: 'ab' },
      { type: 'response.output_text.done', ...at, text: 'ab' },
    ],
    { text: 'ab', position: 'between', outputCharacters: 2 },
  ],
  [
    'a text that only its end tells',
    [added('message'), { type: 'response.output_text.done', ...at, text: 'ab' }],
    { fullText: 'ab', outputCharacters: 2 },
  ],
  [
    'reasoning',
    [added('reasoning'), { type: 'response.reasoning_summary_text.delta', ...at, delta: 'hm' }],
    { position: 'reasoning', hasContent: true },
  ],
  [
    'reasoning that is shown',
    [added('reasoning'), { type: 'response.reasoning_text.delta', ...at, delta: 'hm' }],
    { position: 'reasoning', outputCharacters: 2 },
  ],
  ['reasoning that begins', [added('reasoning')], { hasContent: false }],
  [
    'reasoning that is hidden',
    [added('reasoning'), done('reasoning', { encrypted_content: 'x' })],
    { hasContent: true, position: 'between' },
  ],
  [
    'a call',
    [
      added('function_call', { name: 'f' }),
      { type: 'response.function_call_arguments.delta', ...at, delta: '{}' },
    ],
    { position: 'tool-arguments', hasCalls: true, outputCharacters: 3 },
  ],
  [
    'arguments that only their end tells',
    [
      added('function_call', { name: 'f' }),
      { type: 'response.function_call_arguments.done', ...at, arguments: '{"a":1}' },
      done('function_call', { arguments: '{"a":1}' }),
    ],
    { outputCharacters: 8 },
  ],
  [
    'arguments told twice',
    [
      added('function_call', { name: 'f' }),
      { type: 'response.function_call_arguments.delta', ...at, delta: '{}' },
      { type: 'response.function_call_arguments.done', ...at, arguments: '{}' },
    ],
    { outputCharacters: 3 },
  ],
  [
    'a custom call',
    [
      added('custom_tool_call', { name: 'f' }),
      { type: 'response.custom_tool_call_input.delta', ...at, delta: 'ab' },
    ],
    { position: 'tool-arguments', outputCharacters: 3 },
  ],
  [
    'a refusal',
    [added('message'), { type: 'response.refusal.delta', ...at, delta: 'no' }],
    { position: 'refusal' },
  ],
  ['an item nobody knows', [added('novel')], { hasCalls: true, hasContent: true }],
  [
    'an end',
    [{ type: 'response.completed', response: { id: 'r1', status: 'completed', usage, output: [] } }],
    {
      isDone: true,
      finish: 'stop',
      usage: { inputTokens: 9, outputTokens: 4, reasoningTokens: 2, cacheReadTokens: 5, cacheWriteTokens: 0 },
    },
  ],
  [
    'an end behind a call',
    [added('function_call'), { type: 'response.completed', response: { status: 'completed' } }],
    { finish: 'tool-calls' },
  ],
  [
    'an end behind a refusal',
    [
      added('message'),
      { type: 'response.refusal.delta', ...at, delta: 'no' },
      { type: 'response.completed', response: { status: 'completed' } },
    ],
    { finish: 'refusal' },
  ],
  [
    'items that only the end tells',
    [{ type: 'response.completed', response: { status: 'completed', output: [message] } }],
    { fullText: 'abc', hasContent: true, isDone: true },
  ],
  [
    'a cut answer',
    [
      {
        type: 'response.incomplete',
        response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      },
    ],
    { isDone: true, finish: 'length', finishReason: 'max_output_tokens' },
  ],
  [
    'a failure',
    [{ type: 'response.failed', response: { status: 'failed', error: { code: 'x', message: 'gone' } } }],
    { error: { code: 'x', message: 'gone' }, isDone: false },
  ],
  ['an event nobody knows', [{ type: 'response.novel' }], { hasContent: false }],
];

const tables: readonly (readonly [DialectName, readonly Row[]])[] = [
  ['chat', chatRows],
  ['messages', messagesRows],
  ['responses', responsesRows],
];

describe.each(tables)('the watcher of %s', (dialect, rows) => {
  it.each(rows)('reads %s', (_, events, facts) => {
    expect(watch(dialect, events)).toMatchObject(facts);
  });

  it('knows no position any more behind an event that was too large to read', () => {
    const watcher = dialectStreams[dialect].createWatcher({});
    watcher.take({ bytes: new Uint8Array(9), data: '', isComment: false, isPiece: true });
    expect(watcher.facts.position).toBe('unknown');
  });
});

describe('text that must be JSON', () => {
  it.each([
    ['chat', [chunk({ content: '{' })]],
    ['messages', [block('text'), delta('text_delta', { text: '{' })]],
    ['responses', [added('message'), { type: 'response.output_text.delta', ...at, delta: '{' }]],
  ] as const)('is no plain text in %s', (dialect, events) => {
    expect(watch(dialect, events, true).position).toBe('structured');
  });
});

const tooLong = 'This model has a maximum context length of 4096 tokens. However, you requested 5000 tokens';

describe('an overflow inside a stream', () => {
  it.each([
    ['of the chat API', 'chat', { error: { message: 'too long', code: 'context_length_exceeded' } }],
    [
      'of LM Studio',
      'chat',
      `event: error\ndata: ${JSON.stringify({ error: { message: 'Context size has been exceeded' }, message: 'Context size has been exceeded' })}`,
    ],
    [
      'of the messages API',
      'messages',
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 208310 tokens > 200000 maximum',
        },
      },
    ],
    [
      'of the responses API',
      'responses',
      { type: 'error', code: 'context_length_exceeded', message: tooLong },
    ],
    [
      'of a response that fails',
      'responses',
      { type: 'response.failed', response: { error: { code: 'context_length_exceeded', message: tooLong } } },
    ],
    ['of a gateway', 'responses', { error: { code: 'context_length_exceeded', message: tooLong } }],
  ] as const)('is told as it came: %s', (_, dialect, event) => {
    expect(readOverflow(watch(dialect, [event]).error)).toMatchObject({ kind: 'tokens' });
  });
});

describe('an answer that came whole', () => {
  const bodies = {
    chat: {
      id: 'c1',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'abc' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 9, completion_tokens: 4 },
    },
    messages: {
      id: 'c1',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'abc' },
      ],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 9, output_tokens: 4 },
    },
    responses: {
      id: 'c1',
      model: 'm',
      output: [message],
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { input_tokens: 9, output_tokens: 4 },
      error: null,
    },
  };

  it.each(['chat', 'messages', 'responses'] as const)('tells the same facts in %s', (dialect) => {
    expect(dialectStreams[dialect].readAnswer(bodies[dialect])).toMatchObject({
      id: 'c1',
      model: 'm',
      fullText: 'abc',
      position: 'plain-text',
      finish: 'length',
      isDone: true,
      hasCalls: false,
      error: undefined,
      usage: { inputTokens: 9, outputTokens: 4 },
    });
  });

  it.each([
    [
      'chat',
      {
        choices: [
          {
            message: { tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{}' } }] },
            finish_reason: 'tool_calls',
          },
        ],
      },
    ],
    ['messages', { content: [{ type: 'tool_use', name: 'f', input: {} }], stop_reason: 'tool_use' }],
    ['responses', { output: [{ type: 'function_call', name: 'f', arguments: '{}' }], status: 'completed' }],
  ] as const)('tells calls in %s', (dialect, body) => {
    expect(dialectStreams[dialect].readAnswer(body)).toMatchObject({
      hasCalls: true,
      finish: 'tool-calls',
      outputCharacters: 3,
    });
  });

  it.each([
    ['chat', { error: { message: 'gone' } }],
    ['messages', { type: 'error', error: { message: 'gone' } }],
    ['responses', { error: { message: 'gone' } }],
  ] as const)('tells an error in %s', (dialect, body) => {
    expect(dialectStreams[dialect].readAnswer(body)).toMatchObject({ error: body, isDone: false });
  });
});
