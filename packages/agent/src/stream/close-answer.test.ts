import { expect, it } from 'vitest';
import { plainMessage } from './close-answer.ts';

it.each([
  ['a list of one text', { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }],
  [
    'an item with the marks of its server',
    {
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
    },
  ],
])('takes %s for the bare text', (_, message) => {
  expect(plainMessage(message)).toEqual({ role: 'assistant', content: 'Hi' });
});

it.each([
  ['a signature', { role: 'assistant', content: [{ type: 'text', text: 'Hi', signature: 'x' }] }],
  [
    'two texts',
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: '!' },
      ],
    },
  ],
  ['annotations', { role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [{}] }] }],
  ['a call', { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }],
  ['something that is no message', 'Hi'],
])('leaves %s as it is', (_, message) => {
  expect(plainMessage(message)).toEqual(message);
});

it('does not care for the order of fields', () => {
  const left = plainMessage({ role: 'assistant', content: 'Hi' });
  expect(JSON.stringify(plainMessage({ content: 'Hi', role: 'assistant' }))).toBe(JSON.stringify(left));
});
