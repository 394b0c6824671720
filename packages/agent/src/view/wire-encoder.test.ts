import { openaiChatCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { createWireEncoder, ownWireOf, withWholeWire } from './wire-encoder.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { RenderedMessage } from '@throughline/core/types';

const wire = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' };
const answer: SessionMessage = {
  id: 'a',
  role: 'assistant',
  parts: [
    { type: 'reasoning', text: 'Hm', binding: 'content' },
    { type: 'text', text: 'Hi' },
  ],
  meta: { wire: { codec: 'openai-chat', by: 'told:model', messages: [wire] } },
};
const question: SessionMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Say hi' }] };
const shown = (message: SessionMessage, isEdited = false): RenderedMessage<unknown> => ({
  source: 'entry',
  isEdited,
  message,
});
const encoderOf = (name: string) => createWireEncoder({ driver: { name, codec: openaiChatCodec } });

describe('an answer', () => {
  it('goes back to its own model as it came', () => {
    const { messages } = encoderOf('told:model')([shown(question), shown(answer)]);
    expect(messages.map(({ message }) => message)).toEqual([{ role: 'user', content: 'Say hi' }, wire]);
  });

  it.each([
    ['of which something was cleared', 'told:model', true],
    ['of another model', 'other:model', false],
  ])('%s goes in our own words', (_, name, isEdited) => {
    const { messages } = encoderOf(name)([shown(question), shown(answer, isEdited)]);
    expect(messages[1]?.message).toEqual({ role: 'assistant', content: 'Hi' });
  });
});

it('writes nothing a second time: what was sent is the same object in the next request', () => {
  const encode = encoderOf('told:model');
  const first = encode([shown(question), shown(answer)]).messages;
  const next: SessionMessage = { ...question, id: 'q2' };
  const second = encode([shown(question), shown(answer), shown(next)]).messages;
  expect(second).toHaveLength(3);
  for (const [index, { message }] of first.entries()) expect(second[index]?.message).toBe(message);
});

const url = `@blob:${'a'.repeat(64)}`;
const file = (data: string) => [{ role: 'assistant', content: [{ type: 'file', data, signature: 'c2ln' }] }];
const stored: SessionMessage = {
  id: 'm',
  role: 'assistant',
  parts: [{ type: 'media', mediaType: 'image/png', source: { type: 'url', url } }],
  meta: { isPaused: true, wire: { codec: 'ai-sdk', by: 'a:b', messages: file(url) } },
};

it.each([
  null,
  'text',
  {},
  { meta: null },
  { meta: { wire: 'x' } },
  { meta: { wire: ['x'] } },
  { meta: { wire: { codec: 'ai-sdk', by: 7, messages: [] } } },
  { meta: { wire: { codec: 'ai-sdk', by: 'x', messages: {} } } },
])('finds no wire form in %j', (message) => {
  expect(ownWireOf(message)).toBeUndefined();
});

it('puts files back into the wire form', () => {
  const parts = [
    { type: 'media', mediaType: 'image/png', source: { type: 'base64', data: 'AAAA' } },
  ] as const;
  const loaded = withWholeWire(stored, { ...stored, parts });
  expect(ownWireOf(loaded)?.messages).toEqual(file('AAAA'));
  expect(loaded.meta?.['isPaused']).toBe(true);
  expect(ownWireOf(stored)?.messages).toEqual(file(url));
});

it('gives the wire form up when a file is gone', () => {
  const parts = [{ type: 'text', text: '[image/png: it is no longer stored]' }] as const;
  const loaded = withWholeWire(stored, { ...stored, parts });
  expect(ownWireOf(loaded)).toBeUndefined();
  expect(loaded.meta).toEqual({ isPaused: true });
});

it('leaves a message alone in which nothing was loaded', () => {
  expect(withWholeWire(stored, stored)).toBe(stored);
});
