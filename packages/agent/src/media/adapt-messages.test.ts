import { expect, it } from 'vitest';
import { adaptMessages } from './adapt-messages.ts';
import { inline, pngBytes } from '../../test/media-samples.ts';
import { mediaSupportOf } from './media-support-of.ts';
import { openaiChatCodec } from '@throughline/core';
import { scriptedModelDriver } from '@throughline/testkit';
import type { SessionMessage } from '@throughline/core';

const shot = inline('image/png', pngBytes(8, 6), 'shot.png');
const result = (callId: string, ...content: (typeof shot)[]): SessionMessage => ({
  id: callId,
  role: 'tool',
  parts: [{ type: 'result', callId, name: 'look', content: content as never }],
});
const said: SessionMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'And this?' }] };

it('shows images of results behind the last result, and before what a user said then', () => {
  const support = mediaSupportOf(scriptedModelDriver([], openaiChatCodec));
  const adapted = adaptMessages([result('a', shot), result('b', shot), said], support, () => {
    throw new Error('everything is taken');
  });
  expect(adapted.map(({ role }) => role)).toEqual(['tool', 'tool', 'user', 'user']);
  expect(adapted[2]?.parts.slice(1)).toEqual([shot, shot]);
  expect(adapted[3]).toBe(said);
});

it('leaves messages alone that hold nothing to be lifted', () => {
  const support = mediaSupportOf(scriptedModelDriver([], openaiChatCodec));
  expect(adaptMessages([result('a'), said], support, () => {})).toEqual([result('a'), said]);
});
