import { ask, call, openAgent, storyOf } from './agent-bench.ts';
import { completeText, scriptedModelDriver } from '@throughline/testkit';
import { defineTool } from '../../src/index.ts';
import { expect, it } from 'vitest';
import { longTurn, openNarrow } from './long-bench.ts';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';
import type { AgentBench } from './agent-bench.ts';
import type { AgentSession } from '../../src/index.ts';
import type { Driver, SessionStore } from '@throughline/ports';

/** Nothing of the session is at work: its last run has ended, nobody holds it, and nothing is stored any more. */
async function expectOver({ store }: AgentBench, { id }: AgentSession): Promise<void> {
  const [last] = await store.journal.runs(id, { limit: 1 });
  expect(last?.endedAtMs ?? 0).not.toBeNull();
  const { status, lastEventSeq } = await store.sessions.read(id);
  expect(status).toBe('idle');
  const lease = await store.leases.acquire(id, 'somebody', 1_000);
  expect(lease).toBeDefined();
  if (lease) await store.leases.release(lease);
  await rest();
  expect((await store.sessions.read(id)).lastEventSeq).toBe(lastEventSeq);
}

/** How a session is closed. */
const ways = {
  'a session that is disposed of': (_: AgentBench, session: AgentSession) => session[Symbol.asyncDispose](),
  'an agent that is disposed of': ({ agent }: AgentBench) => agent[Symbol.asyncDispose](),
  'an agent that stops': ({ agent }: AgentBench) => agent.stop(),
  'a session that is deleted': async ({ agent }: AgentBench, { id }: AgentSession) =>
    void (await agent.delete(id)),
} as const;
const named = Object.keys(ways) as (keyof typeof ways)[];
const closing = named.slice(0, 2);

it.each(closing)('%s has ended its run when that is over', async (way) => {
  const bench = await openAgent([{ text: 'Half', hangs: true }]);
  const session = await bench.agent.create();
  await session.send('Go');
  await until(() => bench.driver.requests.length === 1);
  await ways[way](bench, session);
  expect(session.isRunning).toBe(false);
  await expectOver(bench, session);
  expect(await storyOf(bench.store, session)).toEqual(['user text:Go', 'assistant text:Half']);
});

it.each(named)('%s waits for a tool that says at its end what it had', async (way) => {
  let [hasBegun, hasEnded] = [false, false];
  const careful = defineTool({
    name: 'careful',
    description: 'Cleans up behind itself',
    input: z.object({}),
    reads: () => [],
    execute: async (_, { signal }) => {
      hasBegun = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await rest();
      hasEnded = true;
      return 'cleaned up';
    },
  });
  const bench = await openAgent([{ calls: [call('a', 'careful', {})] }], { tools: [careful] });
  const session = await bench.agent.create();
  await session.send('Go');
  await until(() => hasBegun);
  await ways[way](bench, session);
  expect(hasEnded).toBe(true);
  expect(session.isRunning).toBe(false);
});

it.each(closing)('%s has ended a compaction when that is over', async (way) => {
  let isAsked = false;
  const driver: Driver = {
    name: 'slow',
    complete: async (_, { signal }) => {
      isAsked = true;
      await new Promise<void>((resolve) =>
        signal?.addEventListener('abort', () => resolve(), { once: true }),
      );
      await rest();
      return completeText('## Completed Work\nToo late.');
    },
  };
  const bench = await openNarrow(longTurn(1, 6), {
    context: { windowTokens: 40_000, background: false },
    summariser: { type: 'model', driver, windowTokens: 40_000 },
  });
  const session = await bench.agent.create();
  await ask(session, 'Go');
  const compacted = session.compact();
  await until(() => isAsked);
  await ways[way](bench, session);
  await expectOver(bench, session);
  expect(await compacted).toEqual({ type: 'cancelled' });
  expect(await session.checkpoints()).toEqual([]);
});

it.each(closing)('%s waits for a title that is being stored', async (way) => {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  let isAsked = false;
  const wrapStore = (store: SessionStore): SessionStore => ({
    ...store,
    sessions: {
      ...store.sessions,
      rename: async (...asked) => {
        isAsked = true;
        await promise;
        return await store.sessions.rename(...asked);
      },
    },
  });
  const bench = await openAgent([{ text: 'One' }], { titles: 'code', wrapStore });
  const session = await bench.agent.create();
  await ask(session, 'Fix the login of the shop');
  await until(() => isAsked);
  let isClosed = false;
  const closed = ways[way](bench, session).then(() => (isClosed = true));
  await rest();
  expect(isClosed).toBe(false);
  letGo();
  await closed;
  expect((await bench.store.sessions.read(session.id)).title).toBe('Fix the login of the shop');
  await expectOver(bench, session);
});

it.each(closing)('%s begins nothing any more, and leaves what waits to the next one', async (way) => {
  const bench = await openAgent([{ text: 'Half', hangs: true }]);
  const session = await bench.agent.create();
  await session.send('Go');
  await until(() => bench.driver.requests.length === 1);
  await session.send('And then', { id: 'next' });
  await ways[way](bench, session);
  await expectOver(bench, session);
  expect((await session.queue.list()).map(({ id }) => id)).toEqual(['next']);
  expect(await session.send('Later')).toMatchObject({ isQueued: true });
  expect(await session.compact()).toEqual({ type: 'busy' });
  expect(bench.driver.requests).toHaveLength(1);
  const next = await bench.another({ driver: scriptedModelDriver([{ text: 'Whole' }, { text: 'Then' }]) });
  const again = await next.agent.open(session.id);
  await again.resume();
  expect(await again.settled()).toEqual({ type: 'completed', finish: 'stop' });
});
