import { openAgent, storyOf } from './agent-bench.ts';
import { rest, until } from './virtual-time.ts';
import { expect, it } from 'vitest';
import type { SessionStore } from '@throughline/ports';

/** A store whose sessions are not deleted before somebody lets it. */
function patientStore(): {
  readonly wrapStore: (store: SessionStore) => SessionStore;
  readonly isAsked: () => boolean;
  readonly letGo: () => void;
} {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  let isAsked = false;
  const wrapStore = (store: SessionStore): SessionStore => ({
    ...store,
    sessions: {
      ...store.sessions,
      delete: async (id) => {
        isAsked = true;
        await promise;
        return await store.sessions.delete(id);
      },
    },
  });
  return { wrapStore, isAsked: () => isAsked, letGo };
}

it('tells whoever waits for the events of a session that it is deleted', async () => {
  const { agent } = await openAgent([{ text: 'ok' }]);
  const session = await agent.create();
  await session.send('Go');
  await session.settled();
  const types: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { type } of session.events()) types.push(type);
  };
  const reading = read();
  await rest();
  await agent.delete(session.id);
  await expect(reading).rejects.toMatchObject({ code: 'not-found' });
  expect(types.at(-1)).toBe('run:end');
});

it('begins nothing in a session that is being deleted: what is sent meanwhile makes the next one', async () => {
  const { wrapStore, isAsked, letGo } = patientStore();
  const { agent, store } = await openAgent([{ text: 'One' }, { text: 'Two' }], { wrapStore });
  const session = { id: 'mine', owner: 'ada' };
  await agent.send('First', { session });
  await (await agent.open('mine')).settled();
  const deleted = agent.delete('mine');
  await until(isAsked);
  const sent = agent.send('Second', { session });
  await rest();
  expect(agent.busyCount).toBe(0);
  letGo();
  expect(await deleted).toBe(true);
  expect(await sent).toMatchObject({ isQueued: false, sessionId: 'mine' });
  const next = await agent.open('mine');
  await next.settled();
  expect(await storyOf(store, next)).toEqual(['user text:Second', 'assistant text:Two']);
});

it('is deleted once, however often that is asked for at the same time', async () => {
  const { wrapStore, isAsked, letGo } = patientStore();
  const { agent } = await openAgent([], { wrapStore });
  const { id } = await agent.create();
  const deleted = [agent.delete(id), agent.delete(id)];
  await until(isAsked);
  letGo();
  expect(new Set(await Promise.all(deleted))).toEqual(new Set([true, false]));
});
