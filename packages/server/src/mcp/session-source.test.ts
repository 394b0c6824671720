import { createAgent } from '@throughline/agent';
import { createDemoDriver } from '@throughline/drivers';
import { expect, it } from 'vitest';
import { openMemoryStore } from '@throughline/stores';
import { storedSessions } from './session-source.ts';
import { systemTimer } from '@throughline/ports';

it('sessions of somebody else are not there: not in lists, searches, or by their id', async () => {
  await using store = await openMemoryStore();
  await using agent = createAgent({
    store,
    driver: createDemoDriver({ timer: systemTimer, wordDelayMs: 0 }),
  });
  const [ours, theirs] = await Promise.all(
    ['', 'somebody'].map(async (owner) => {
      const session = await agent.create({ owner, folder: '/work' });
      await session.send('tell me 3 words about the harbour');
      await session.settled();
      return session.id;
    }),
  );
  const sessions = storedSessions(store, { owner: '' });
  expect((await sessions.list(10)).map(({ id }) => id)).toEqual([ours]);
  const found = await sessions.search('harbour', { limit: 10 });
  expect(new Set(found.map(({ sessionId }) => sessionId))).toEqual(new Set([ours]));
  expect(await sessions.find(theirs ?? '')).toBeUndefined();
  expect((await sessions.last('/work'))?.id).toBe(ours);
  expect((await sessions.last('/elsewhere'))?.id).toBe(ours);
  expect(await storedSessions(store, { owner: 'nobody' }).last('/work')).toBeUndefined();
});
