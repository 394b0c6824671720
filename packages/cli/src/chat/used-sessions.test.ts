import { expect, it } from 'vitest';
import { openMemoryStore } from '@throughline/stores';
import { usedSessions } from './used-sessions.ts';

it('lists the sessions in which something was said, the newest first', async () => {
  await using store = await openMemoryStore();
  for (const id of ['a', 'b', 'c', 'd']) await store.sessions.create({ id, model: 'demo:demo' });
  await store.sessions.rename('a', 'Hello');
  await store.sessions.rename('c', 'How are you?');
  expect((await usedSessions(store, 5)).map(({ id }) => id)).toEqual(['c', 'a']);
  expect((await usedSessions(store, 1)).map(({ id }) => id)).toEqual(['c']);
});
