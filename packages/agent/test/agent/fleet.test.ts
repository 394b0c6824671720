import { z } from 'zod';
import { call, dataOf, look, openAgent, record, storyOf } from './agent-bench.ts';
import { ContextError } from '@throughline/core';
import { defineTool } from '../../src/index.ts';
import { expect, it } from 'vitest';
import { rest, until } from './virtual-time.ts';
import type { AgentEvent } from '../../src/index.ts';
import type { SessionStore } from '@throughline/ports';
import type { AgentBench } from './agent-bench.ts';

const away = new ContextError('store-failed', 'There is no connection.', {
  store: 'postgres://db',
  reason: 'unreachable',
});

const asItIs = { wrapStore: (store: SessionStore): SessionStore => store };

/** Some seconds, with everything that can go on going on. */
async function pass({ time }: AgentBench, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await time.advance(1_000);
    for (let turn = 0; turn < 10; turn += 1) await rest();
  }
}

/** As if the process was suspended: it renews nothing any more, and all else works once it is back. */
function sleepyStore(): { readonly wrap: (store: SessionStore) => SessionStore; sleep(): void } {
  let isAsleep = false;
  return {
    sleep: () => (isAsleep = true),
    wrap: (store) => ({
      ...store,
      leases: {
        ...store.leases,
        renew: (lease, ttlMs) => (isAsleep ? Promise.resolve(lease) : store.leases.renew(lease, ttlMs)),
        look: (lease) => (isAsleep ? Promise.resolve('good') : store.leases.look(lease)),
      },
    }),
  };
}

it('goes on with a run whose database was away for a moment: it has not ended', async () => {
  let failures = 0;
  const bench = await openAgent([{ text: 'ok' }], {
    wrapStore: (opened) => {
      const page: typeof opened.history.page = (...args) =>
        (failures += 1) === 1 ? Promise.reject(away) : opened.history.page(...args);
      return { ...opened, history: { ...opened.history, page } };
    },
  });
  const { agent, store } = bench;
  const session = await agent.create();
  await session.send('Go');
  expect(await session.settled()).toMatchObject({ type: 'broken', code: 'store-failed' });
  const [left] = await store.journal.runs(session.id);
  expect(left?.endedAtMs).toBeNull();
  await using _ = agent.watch();
  await pass(bench, 3);
  expect(await store.journal.runs(session.id)).toMatchObject([
    { id: left?.id, outcome: { type: 'completed', finish: 'stop' } },
  ]);
  expect(await storyOf(store, session)).toEqual(['user text:Go', 'assistant text:ok']);
});

it('goes on with the session of a process whose lease has run out, without a restart', async () => {
  const sleepy = sleepyStore();
  const first = await openAgent([{ text: 'Half', hangs: true }], { in: 'file', wrapStore: sleepy.wrap });
  const second = await first.another({ script: [{ text: 'Whole' }], ...asItIs });
  const taken: string[] = [];
  await using _ = second.agent.watch({ onTaken: (ids) => taken.push(...ids) });
  const session = await first.agent.create();
  await session.send('Go');
  await until(() => first.driver.requests.length === 1);
  await pass(second, 3);
  expect(taken).toEqual([]);
  sleepy.sleep();
  await pass(second, 8);
  expect(taken).toEqual([session.id]);
  expect(await (await second.agent.open(session.id)).settled()).toEqual({
    type: 'completed',
    finish: 'stop',
  });
  expect((await storyOf(second.store, session)).at(-1)).toBe('assistant text:Whole');
});

it('takes up messages that a process has left, and leaves what is held after a cancel', async () => {
  const first = await openAgent([{ text: 'Half', hangs: true }], { in: 'file' });
  const held = await first.agent.create();
  await held.send('Go');
  await until(() => first.driver.requests.length === 1);
  await held.send('Later');
  await held.cancel();
  const left = await first.agent.create();
  await first.agent.stop();
  await left.send('Still to do');
  const second = await first.another({ script: [{ text: 'Done' }] });
  const taken: string[] = [];
  await using _ = second.agent.watch({ onTaken: (ids) => taken.push(...ids) });
  await pass(second, 40);
  expect(taken).toEqual([left.id]);
  expect(await storyOf(second.store, left)).toEqual(['user text:Still to do', 'assistant text:Done']);
});

it('runs no tool of a session that another has taken over in the last moment', async () => {
  let runs = 0;
  let suspend = async (): Promise<void> => {};
  const work = defineTool({
    name: 'work',
    description: 'Works',
    input: z.object({}),
    approval: 'allow',
    idempotent: true,
    reads: async () => {
      await suspend();
      return [];
    },
    execute: () => `run ${(runs += 1)}`,
  });
  const first = await openAgent([{ calls: [call('a', 'work', {})] }, { text: 'Zombie' }], {
    in: 'file',
    tools: [work],
  });
  const session = await first.agent.create();
  suspend = async () => {
    // No timer fires while a process is suspended: only the others' time goes on.
    const owner = await first.another(asItIs);
    const { leases } = owner.store;
    const lease = { sessionId: session.id, owner: 'agent', epoch: 1, expiresAtMs: 0 };
    await leases.release(lease);
    expect(await leases.acquire(session.id, 'thief', 60_000)).toBeDefined();
  };
  await session.send('Go');
  expect(await session.settled()).toMatchObject({ type: 'lost' });
  expect(runs).toBe(0);
  expect(first.driver.requests).toHaveLength(1);
});

it('tells every event of another process once and in order, to those who follow one session or all', async () => {
  const script = [{ calls: [call('a')] }, { text: 'One' }, { text: 'Two' }];
  const first = await openAgent(script, { in: 'file', tools: [look] });
  const second = await first.another({ script: [{ text: 'There' }] });
  const all: (readonly [string, AgentEvent])[] = [];
  const here: AgentEvent[] = [];
  second.agent.subscribe((id, event) => all.push([id, event]));
  second.agent.subscribe((_, event) => here.push(event), { from: 'here' });
  await using _ = second.agent.watch();
  await using __ = first.agent.watch();
  await pass(second, 1);
  const session = await first.agent.create();
  const there = await second.agent.open(session.id);
  const one = record(there);
  const unopened = await first.agent.create();
  await session.send('Go');
  await unopened.rename('Seen by nobody here');
  await pass(second, 3);
  await session.settled();
  // Nobody has told the second of what comes first.
  await session.rename('There');
  await there.rename('Here');
  await there.send('And from here');
  await pass(second, 3);
  await there.settled();
  await pass(second, 2);
  const stored = await second.store.journal.after(session.id, 0);
  const seqs = stored.map(({ seq }) => seq);
  const isStored = ({ seq }: AgentEvent): boolean => seqs.includes(seq);
  expect(one.filter(isStored).map(({ seq }) => seq)).toEqual(seqs);
  expect(new Set(one.map(({ seq }) => seq)).size).toBe(one.length);
  const followed = all.filter(([id]) => id === session.id).map(([, event]) => event);
  expect(followed.filter(isStored).map(({ seq }) => seq)).toEqual(seqs);
  expect(dataOf(one, 'session:updated')).toEqual([{ title: 'There' }, { title: 'Here' }]);
  expect(all.filter(([id]) => id === unopened.id).map(([, { type }]) => type)).toEqual(['session:updated']);
  // What is counted here is what this process did.
  expect(here.filter(({ type }) => type === 'run:start')).toHaveLength(1);
});

it('cancels a run of another process, and not the one behind it', async () => {
  const first = await openAgent([{ text: 'Half', hangs: true }, { text: 'Whole' }], { in: 'file' });
  await using _ = first.agent.watch();
  const session = await first.agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => first.driver.requests.length === 1);
  const second = await first.another();
  const there = await second.agent.open(session.id);
  await there.cancel();
  await pass(first, 2);
  expect(await session.settled()).toMatchObject({ type: 'cancelled' });
  await session.send('Again');
  await pass(first, 2);
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(dataOf(events, 'run:end').map(({ outcome }) => outcome.type)).toEqual(['cancelled', 'completed']);
  // Nobody works there: nothing happens.
  await there.cancel();
});

it('cancels a run of a process that does not watch the store with its next renewal', async () => {
  const first = await openAgent([{ text: 'Half', hangs: true }], { in: 'file' });
  const session = await first.agent.create();
  await session.send('Go');
  await until(() => first.driver.requests.length === 1);
  const second = await first.another();
  await (await second.agent.open(session.id)).cancel();
  await pass(first, 2);
  expect(await session.settled()).toMatchObject({ type: 'cancelled' });
});

it('ends its watch when it stops', async () => {
  const { agent, time } = await openAgent();
  agent.watch();
  await time.advance(3_000);
  await agent.stop();
  await rest();
  expect(time.pending).toBe(0);
});
