import { describe, expect, it } from 'vitest';
import { createWireEncoder } from './wire-encoder.ts';
import { openaiChatCodec } from '@throughline/core';
import type { RenderedMessage, SessionMessage } from '@throughline/core';

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
