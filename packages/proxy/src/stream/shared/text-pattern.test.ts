import { AnswerStream } from '../answer-stream.ts';
import { describe, expect, it } from 'vitest';
import { dialectStreams } from '../dialect-streams.ts';
import { readEvent } from './stream-event.ts';
import { SseSplitter } from './sse-splitter.ts';
import { TextPattern } from './text-pattern.ts';
import type { DialectName } from '../dialect-streams.ts';

const chatEvent = (text: unknown, more: object = {}, choice: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta: { content: text }, ...choice }], ...more })}\n\n`;
const messagesEvent = (text: string, index = 0): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })}\n\n`;

/** Texts that could be taken for something else. */
const texts = [
  'word',
  ':',
  ',',
  'content',
  'text_delta',
  '","role":"user',
  'a "quoted" one',
  'back\\slash',
  '\\',
  '\\n',
  'two\nlines\r\n\r\n',
  '\u0000\u001f\u007f\u2028',
  'ü 日本 😀',
  '[DONE]',
  'data: {"x":1}',
  '\n\n',
  'word',
];

function learned(dialect: DialectName, event: string): TextPattern {
  const pattern = new TextPattern(dialectStreams[dialect].textOf ?? (() => undefined));
  const [read] = new SseSplitter().push(Buffer.from(event));
  if (read) pattern.learn(event, readEvent(read).value ?? {});
  return pattern;
}

describe('TextPattern', () => {
  it.each(texts)('reads the text of events that look like one with %j', (first) => {
    const chat = learned('chat', chatEvent(first));
    const messages = learned('messages', messagesEvent(first));
    for (const text of texts) {
      expect(chat.textIn(chatEvent(text))).toBe(text);
      expect(messages.textIn(messagesEvent(text))).toBe(text);
    }
  });

  it('reads nothing in events that say something else, too', () => {
    const chat = learned('chat', chatEvent('word'));
    const others = [
      chatEvent('word', { usage: { prompt_tokens: 1 } }),
      chatEvent('word', { id: 'c2' }),
      chatEvent('word', {}, { finish_reason: 'stop' }),
      chatEvent('word', {}, { index: 1 }),
      chatEvent(null),
      chatEvent(['word']),
      chatEvent('word').replace('"word"', '"word","refusal":"no"'),
      chatEvent('word').replace('"word"', '"wo\\u00zz"'),
      chatEvent('word').replace('"word"', '"wo\nrd"'),
      chatEvent('word').replace('\n\n', '\r\n\r\n'),
      'data: [DONE]\n\n',
      ': comment\n\n',
    ];
    for (const event of others) expect(chat.textIn(event)).toBeUndefined();
    expect(learned('messages', messagesEvent('word')).textIn(messagesEvent('word', 1))).toBeUndefined();
  });

  it.each([
    ['an end', chatEvent('word', {}, { finish_reason: 'stop' })],
    ['usage', chatEvent('word', { usage: { prompt_tokens: 1 } })],
    ['timings', chatEvent('word', { timings: { prompt_n: 1 } })],
    ['an error', chatEvent('word', { error: { message: 'no' } })],
    ['another alternative', chatEvent('word', {}, { index: 1 })],
    ['a call', chatEvent('word').replace('"word"', '"word","tool_calls":[{"index":0}]')],
    ['reasoning', chatEvent('word').replace('"word"', '"word","reasoning":"why"')],
    ['no text', chatEvent('')],
  ])('learns nothing from an event with %s', (_, event) => {
    expect(learned('chat', event).textIn(event)).toBeUndefined();
  });
});

describe('an answer whose events look alike', () => {
  const end = `${chatEvent('', {}, { finish_reason: 'stop' })}data: [DONE]\n\n`;
  const body = Buffer.from(texts.map((text) => chatEvent(text)).join('') + end);

  it('is told whole and byte for byte, wherever its chunks end', () => {
    for (let border = 0; border <= body.length; border += 1) {
      const stream = new AnswerStream({ dialect: 'chat' });
      const parts = [body.subarray(0, border), body.subarray(border)];
      const told = [...parts.flatMap((part) => stream.push(part)), ...stream.closed(), ...stream.release()];
      expect(Buffer.concat(told).equals(body)).toBe(true);
      expect(stream.client.fullText).toBe(texts.join(''));
      expect(stream.answer.outputCharacters).toBe(texts.join('').length);
    }
  });

  it('goes on behind an end that was none', () => {
    const stop = chatEvent('', {}, { finish_reason: 'stop' });
    const given = Buffer.from(
      [chatEvent('a'), chatEvent('b'), stop, chatEvent('c'), chatEvent('d')].join(''),
    );
    const stream = new AnswerStream({ dialect: 'chat' });
    expect(Buffer.concat(stream.push(given)).equals(given)).toBe(true);
    expect(stream.client.fullText).toBe('abcd');
  });

  it('is changed in all of its events where one of them is', () => {
    const stream = new AnswerStream({ dialect: 'chat', hidesUsage: true });
    const given = texts.map((text) => chatEvent(text, { usage: null })).join('');
    const told = Buffer.concat(stream.push(Buffer.from(given))).toString();
    expect(told).toBe(texts.map((text) => chatEvent(text)).join(''));
  });

  it('is continued in its own words', () => {
    const stream = new AnswerStream({ dialect: 'chat' });
    stream.push(Buffer.from(chatEvent('one ') + chatEvent('two ')));
    stream.restart({ outputTokens: 2, inputTokens: 10 });
    const next = Buffer.from(chatEvent('three', { id: 'c9' }) + chatEvent(' four', { id: 'c9' }));
    const told = Buffer.concat([...stream.push(next), ...stream.closed(), ...stream.release()]).toString();
    expect(told).not.toContain('c9');
    expect(stream.client.fullText).toBe('one two three four');
  });
});
