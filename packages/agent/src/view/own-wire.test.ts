import { expect, it } from 'vitest';
import { ownWireOf, withWholeWire } from './own-wire.ts';
import type { SessionMessage } from '@throughline/core';

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
