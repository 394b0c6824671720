import { expect, it } from 'vitest';
import { openMemoryStore } from '@throughline/stores';
import { usedSessions } from './chat-services.ts';

it('lists the sessions in which something was said, the newest first', async () => {
  await using store = await openMemoryStore();
  for (const id of ['a', 'b', 'c', 'd']) await store.sessions.create({ id, model: 'demo:demo' });
  await store.sessions.rename('a', 'Hello');
  await store.sessions.rename('c', 'How are you?');
  expect((await usedSessions(store, { limit: 5 })).map(({ id }) => id)).toEqual(['c', 'a']);
  expect((await usedSessions(store, { limit: 1 })).map(({ id }) => id)).toEqual(['c']);
});

it('lists those of one folder only, where one is asked for', async () => {
  await using store = await openMemoryStore();
  for (const [id, folder] of [
    ['a', '/here'],
    ['b', '/there'],
    ['c', ''],
  ] as const)
    await store.sessions.create({ id, folder, title: id });
  const idsOf = async (folder?: string): Promise<readonly string[]> =>
    (await usedSessions(store, { limit: 5, ...(folder !== undefined && { folder }) })).map(({ id }) => id);
  expect([await idsOf('/here'), (await idsOf()).length]).toEqual([['a'], 3]);
});
