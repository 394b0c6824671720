import { describe, expect, it } from 'vitest';
import { readAsClient } from '../../test/real-clients.ts';
import { AnswerStream } from './answer-stream.ts';
import { canContinue } from './shared/facts.ts';
import type { AnswerStreamOptions } from './answer-stream.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const data = (...values: readonly unknown[]): Uint8Array =>
  encode(
    values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join(''),
  );
type Typed = { readonly type: string; readonly [field: string]: unknown };
const named = (...values: readonly Typed[]): Uint8Array =>
  encode(values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join(''));

/** What the client gets of an answer and of the one that goes on. */
function join(options: AnswerStreamOptions, first: Uint8Array, next: Uint8Array): Buffer {
  const stream = new AnswerStream(options);
  const told = [...stream.push(first), ...stream.restart({ outputTokens: 3, inputTokens: 9 })];
  told.push(...stream.push(next), ...stream.closed(), ...stream.release());
  return Buffer.concat(told);
}

const chunk = (delta: object, reason: string | null = null, id = 'c1'): object => ({
  id,
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: reason }],
});

describe('a chat answer', () => {
  const chat = { dialect: 'chat' } as const;
  const first = data(chunk({ role: 'assistant', content: 'One ' }));

  it('keeps the text that stands in the chunk of its end', async () => {
    const end = data(
      chunk({ role: 'assistant', content: 'One ' }),
      chunk({ content: 'two ' }, 'length'),
      '[DONE]',
    );
    const bytes = join(chat, end, data(chunk({ content: 'three.' }, 'stop', 'c2'), '[DONE]'));
    expect(await readAsClient.chat(bytes)).toMatchObject({
      id: 'c1',
      choices: [{ finish_reason: 'stop', message: { content: 'One two three.' } }],
    });
    expect(bytes.toString().match(/\[DONE\]/g)).toHaveLength(1);
  });

  it('keeps text in blocks', () => {
    const blocks = (text: string): object => chunk({ content: [{ type: 'text', text }] }, null, 'c2');
    const bytes = join(
      chat,
      data(chunk({ role: 'assistant', content: 'It was a bright cold day in April' })),
      data(blocks('bright cold day in April'), blocks(', and'), chunk({}, 'stop')),
    );
    expect(bytes.toString()).toContain('"text":", and"');
    expect(bytes.toString().match(/bright/g)).toHaveLength(1);
  });

  it('tells usage that stands in every chunk as that of the whole', () => {
    const counted = {
      ...chunk({ content: 'two' }, null, 'c2'),
      usage: { prompt_tokens: 20, completion_tokens: 2, total_tokens: 22 },
    };
    const bytes = join(chat, first, data(counted));
    expect(bytes.toString()).toContain('{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}');
  });

  it('hides usage that only we have asked for, and still reads it', () => {
    const stream = new AnswerStream({ ...chat, hidesUsage: true });
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    const shown = data(chunk({ content: 'a' }), chunk({}, 'stop'));
    const told = [
      ...stream.push(shown),
      ...stream.push(data({ id: 'c1', choices: [], usage }, '[DONE]')),
      ...stream.release(),
    ];
    expect(Buffer.concat(told).equals(Buffer.concat([shown, data('[DONE]')]))).toBe(true);
    expect(stream.answer.usage).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });

  it('takes a last line that lacks its blank line', () => {
    const stream = new AnswerStream(chat);
    const bytes = Buffer.concat([first, data(chunk({}, 'stop')), encode('data: [DONE]')]);
    const told = [...stream.push(bytes), ...stream.closed(), ...stream.release()];
    expect(stream.answer.isDone).toBe(true);
    expect(Buffer.concat(told).equals(bytes)).toBe(true);
  });

  it('puts a notice before the text even where the first chunk has both', async () => {
    const stream = new AnswerStream(chat);
    const told = [...stream.noticeFirst('[room] ')];
    told.push(
      ...stream.push(Buffer.concat([first, data(chunk({}, 'stop'))])),
      ...stream.closed(),
      ...stream.release(),
    );
    expect(await readAsClient.chat(Buffer.concat(told))).toMatchObject({
      choices: [{ message: { role: 'assistant', content: '[room] One ' } }],
    });
  });

  it('ends with a chunk that names it, and with usage only where the client has asked', () => {
    for (const showsUsage of [true, false]) {
      const stream = new AnswerStream({ ...chat, showsUsage });
      stream.push(first);
      const end = Buffer.concat(stream.endWithLength({ outputTokens: 4 }, ' [full]')).toString();
      expect(end).toContain('"id":"c1"');
      expect(end.includes('"usage"')).toBe(showsUsage);
      expect(end.indexOf(' [full]')).toBeLessThan(end.indexOf('"length"'));
      expect(end.endsWith('data: [DONE]\n\n')).toBe(true);
    }
  });
});

describe('an error inside a stream', () => {
  const overflow = { error: { message: 'Reached context length of 4096 tokens' } };
  const first = data(chunk({ role: 'assistant', content: 'One ' }));

  it('is held, and another call may go on where it came', async () => {
    const stream = new AnswerStream({ dialect: 'chat' });
    const told = [...stream.push(first), ...stream.push(data(overflow))];
    expect(stream.isHolding).toBe(true);
    expect(canContinue(stream.client)).toBe(true);
    told.push(...stream.restart({ outputTokens: 1, inputTokens: 1 }));
    expect(stream.isHolding).toBe(false);
    told.push(
      ...stream.push(data(chunk({ content: 'two' }), chunk({}, 'stop'), '[DONE]')),
      ...stream.release(),
    );
    expect(await readAsClient.chat(Buffer.concat(told))).toMatchObject({
      choices: [{ message: { content: 'One two' } }],
    });
  });

  it('reaches the client as the upstream wrote it, and only once', () => {
    const bytes = Buffer.concat([first, data(overflow)]);
    for (const last of ['release', 'fail'] as const) {
      const stream = new AnswerStream({ dialect: 'chat' });
      const told = [
        ...stream.push(bytes),
        ...(last === 'fail' ? stream.fail({ message: 'gone' }) : stream.release()),
      ];
      expect(Buffer.concat(told).equals(bytes)).toBe(true);
    }
  });

  it('does not stand inside an event that was too large to be held', () => {
    const stream = new AnswerStream({ dialect: 'chat', maxEventBytes: 64 });
    const told = [
      ...stream.push(encode(`data: {"x":"${'x'.repeat(100)}`)),
      ...stream.comment('ping'),
      ...stream.fail({ message: 'gone' }),
    ];
    const text = Buffer.concat(told).toString();
    expect(text).not.toContain('ping');
    expect(text).toMatch(/x\n\ndata: \{"error"/);
  });
});

const item = (index: number, id: string, value: object): object => ({
  output_index: index,
  item: { id, ...value },
});
const place = { output_index: 0, item_id: 'msg_1', content_index: 0 };
const message = { type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const part = { type: 'output_text', text: '', annotations: [] };
const response = { id: 'r1', object: 'response', status: 'in_progress', output: [] };

describe('a response', () => {
  const responses = { dialect: 'responses' } as const;
  const start = [
    { type: 'response.created', sequence_number: 0, response },
    { type: 'response.output_item.added', sequence_number: 1, ...item(0, 'msg_1', message) },
    { type: 'response.content_part.added', sequence_number: 2, ...place, part },
  ];
  const say = (delta: string): Typed => ({ type: 'response.output_text.delta', ...place, delta });
  const first = named(...start, say('One '));
  const end = { type: 'response.completed', response: { ...response, status: 'completed' } };
  const cite = (title: string): Typed => ({
    type: 'response.output_text.annotation.added',
    ...place,
    annotation_index: 0,
    annotation: { type: 'url_citation', title },
  });

  it('tells a text that the next call tells only at its end', async () => {
    const next = named(...start, { type: 'response.output_text.done', ...place, text: 'two' }, end);
    expect(await readAsClient.responses(join(responses, first, next))).toMatchObject({
      output: [{ id: 'msg_1', content: [{ text: 'One two' }] }],
      output_text: 'One two',
    });
  });

  it('tells items that the next call tells only in its last event', async () => {
    const output = [
      { ...message, id: 'msg_9', content: [{ ...part, text: 'two' }], status: 'completed' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}' },
    ];
    const next = { ...end, response: { ...end.response, output } };
    expect(await readAsClient.responses(join(responses, first, named(next)))).toMatchObject({
      output: [
        { id: 'msg_1', content: [{ text: 'One two' }] },
        { id: 'fc_1', arguments: '{}' },
      ],
      output_text: 'One two',
    });
  });

  it('numbers annotations of both calls in one row', async () => {
    const bytes = join(
      responses,
      named(...start, say('One '), cite('a')),
      named(...start, say('two'), cite('b'), end),
    );
    expect(
      bytes
        .toString()
        .match(/"annotation_index":\d/g)
        ?.join(),
    ).toBe('"annotation_index":0,"annotation_index":1');
    expect(await readAsClient.responses(bytes)).toMatchObject({
      output: [{ content: [{ text: 'One two', annotations: [{ title: 'a' }, { title: 'b' }] }] }],
    });
  });

  it('makes a refusal the next part of the message', async () => {
    const refusal = { type: 'refusal', refusal: '' };
    const next = named(
      ...start.slice(0, 2),
      { type: 'response.content_part.added', ...place, part: refusal },
      { type: 'response.refusal.delta', ...place, delta: 'No.' },
      { type: 'response.content_part.done', ...place, part: { ...refusal, refusal: 'No.' } } as {
        type: string;
      },
      { type: 'response.output_item.done', ...item(0, 'msg_1', message) },
      end,
    );
    expect(await readAsClient.responses(join(responses, first, next))).toMatchObject({
      output: [
        {
          content: [
            { type: 'output_text', text: 'One ' },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
      ],
    });
  });

  it('gives an item another id where the next call counts from the same number', async () => {
    const reasoning = { type: 'reasoning', summary: [] };
    const before = [
      { type: 'response.created', sequence_number: 0, response },
      { type: 'response.output_item.added', ...item(0, 'rs_1', reasoning) },
      { type: 'response.output_item.done', ...item(0, 'rs_1', reasoning) },
      { type: 'response.output_item.added', ...item(1, 'msg_1', message) },
      { type: 'response.content_part.added', ...place, output_index: 1, part },
      { type: 'response.output_text.delta', ...place, output_index: 1, delta: 'One' },
    ];
    const next = [
      { type: 'response.created', sequence_number: 0, response },
      { type: 'response.output_item.added', ...item(0, 'rs_1', reasoning) },
      { type: 'response.output_item.done', ...item(0, 'rs_1', reasoning) },
      end,
    ];
    expect(await readAsClient.responses(join(responses, named(...before), named(...next)))).toMatchObject({
      output: [{ id: 'rs_1' }, { id: 'msg_1', content: [{ text: 'One' }] }, { id: 'rs_1_2' }],
    });
  });

  it('keeps logprobs of both calls', async () => {
    const logprob = (token: string): object => ({ token, logprob: -1, bytes: [1], top_logprobs: [] });
    const one = { ...say('One '), logprobs: [logprob('One ')] };
    const two = { ...say('two'), logprobs: [logprob('two')] };
    const ended = { type: 'response.output_text.done', ...place, text: 'two', logprobs: [logprob('two')] };
    const bytes = join(responses, named(...start, one), named(...start, two, ended, end));
    expect(await readAsClient.responses(bytes)).toMatchObject({
      output: [{ content: [{ logprobs: [{ token: 'One ' }, { token: 'two' }] }] }],
    });
  });

  it('fails with what it had, for clients that read no error event', () => {
    const stream = new AnswerStream(responses);
    stream.push(first);
    const text = Buffer.concat(stream.fail({ message: 'gone', code: 'context_length_exceeded' })).toString();
    const events = text
      .trim()
      .split('\n\n')
      .map((event) => JSON.parse(event.split('data: ')[1] ?? '') as Record<string, unknown>);
    expect(events).toMatchObject([
      { type: 'error', code: 'context_length_exceeded', message: 'gone' },
      {
        type: 'response.failed',
        response: { id: 'r1', status: 'failed', error: { code: 'context_length_exceeded' } },
      },
    ]);
  });
});

describe('a message', () => {
  const start = (usage: object): Typed => ({
    type: 'message_start',
    message: { id: 'm1', type: 'message', role: 'assistant', content: [], usage },
  });
  const open = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  const say = (text: string): Typed => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  });
  const end = (usage: object): Typed[] => [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ];

  it('tells the prompt of the last call, and no cache of the first', async () => {
    const first = named(
      start({ input_tokens: 10, cache_read_input_tokens: 900, output_tokens: 1 }),
      open,
      say('One '),
    );
    const next = named(
      start({ input_tokens: 30, cache_creation_input_tokens: 60, output_tokens: 1 }),
      open,
      say('two'),
      ...end({ output_tokens: 5 }),
    );
    expect(await readAsClient.messages(join({ dialect: 'messages' }, first, next))).toMatchObject({
      content: [{ type: 'text', text: 'One two' }],
      usage: {
        input_tokens: 30,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 60,
        output_tokens: 8,
      },
    });
  });

  it('holds the stop of a text until it is known what follows', () => {
    const stream = new AnswerStream({ dialect: 'messages' });
    const [stop, ...rest] = end({ output_tokens: 5 }) as [Typed, ...Typed[]];
    stream.push(named(start({ input_tokens: 1 }), open, say('One ')));
    expect(stream.push(named(stop))).toEqual([]);
    const next = named({ ...open, index: 1 });
    expect(Buffer.concat(stream.push(next)).equals(Buffer.concat([named(stop), next]))).toBe(true);
    expect(stream.push(named(...rest))).toEqual([]);
    expect(stream.isHolding).toBe(true);
    expect(Buffer.concat(stream.release()).equals(named(...rest))).toBe(true);
  });
});
