import { ask, call, look, openAgent, storyOf } from './agent-bench.ts';
import { ContextError } from '@throughline/core';
import { createTokenQuota } from '../../src/index.ts';
import { expect, it } from 'vitest';
import type { Driver, OwnerUsage } from '@throughline/ports';
import type { Quota } from '../../src/index.ts';

const quotaFor =
  (quotas: Readonly<Record<string, Quota>>) =>
  (owner: string): Quota | undefined =>
    quotas[owner];

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return ContextError.is(error, 'quota-exceeded') ? error.details : error;
}

const hourMs = 3_600_000;

it('lets an owner have so many sessions, however they are made, and others as many as they like', async () => {
  const { agent, store } = await openAgent([{ text: 'Hi.' }], {
    quotaOf: quotaFor({ ann: { maxSessions: 2 } }),
  });
  const first = await agent.create({ owner: 'ann' });
  await ask(first, 'Hello');
  await first.fork();
  const full = { owner: 'ann', quota: 'sessions', limit: 2, used: 2, retryAfterMs: null };
  const lines: string[] = [];
  for await (const line of store.sessions.export(first.id)) lines.push(line);
  for (const made of [
    agent.create({ owner: 'ann' }),
    agent.openOrCreate({ id: 'x', owner: 'ann' }),
    agent.send('Hello', { session: { owner: 'ann' } }),
    agent.import(lines, { id: 'y', owner: 'ann' }),
    first.fork(),
    first.branch(0, 'Hello?'),
  ])
    expect(await refusalOf(made)).toEqual(full);
  expect((await store.sessions.list({ owner: 'ann' })).items).toHaveLength(2);
  await agent.create({ owner: 'bob' });
  await agent.delete(first.id);
  await agent.create({ owner: 'ann' });
});

it('lets so many sessions of an owner be at work, and takes more for one that is', async () => {
  const { agent } = await openAgent([{ hangs: true }, { hangs: true }, { hangs: true }, { hangs: true }], {
    quotaOf: quotaFor({ ann: { maxRunsAtOnce: 2 } }),
  });
  const [one, two, three] = [
    await agent.create({ owner: 'ann' }),
    await agent.create({ owner: 'ann' }),
    await agent.create({ owner: 'ann' }),
  ];
  await one.send('Go');
  await two.send('Go');
  const details = { owner: 'ann', quota: 'runs', limit: 2, used: 2, retryAfterMs: 1_000 };
  expect(await refusalOf(three.send('Go'))).toEqual(details);
  expect(await three.queue.list()).toEqual([]);
  expect(await two.send('And this')).toMatchObject({ isQueued: true });
  await two.cancel();
  await two.settled();
  expect(await three.send('Go')).toMatchObject({ isQueued: false });
  // What was taken while it was at work is held since, and would begin a run.
  const [held] = await two.queue.list();
  expect(await refusalOf(two.resume())).toEqual(details);
  expect(await refusalOf(two.queue.sendNow(held?.id ?? ''))).toEqual(details);
  await one.cancel();
  await one.settled();
  expect(await two.resume()).toBeDefined();
});

const usage = (totalTokens: number) => ({ inputTokens: totalTokens, totalTokens });

it('lets an owner use so many tokens in 24 hours, and says when there are some again', async () => {
  const { agent, time, driver } = await openAgent(
    [
      { text: 'a', usage: usage(600) },
      { text: 'b', usage: usage(500) },
      { text: 'c', usage: usage(1) },
    ],
    { quotaOf: quotaFor({ ann: { maxTokensPerDay: 1_000 } }) },
  );
  const session = await agent.create({ owner: 'ann' });
  await ask(session, 'One');
  await time.advance(2 * hourMs);
  await ask(session, 'Two');
  const refused = (await refusalOf(session.send('Three'))) as { retryAfterMs: number };
  expect(refused).toMatchObject({ quota: 'tokens', limit: 1_000, used: 1_100 });
  expect(refused.retryAfterMs).toBeGreaterThan(20 * hourMs);
  expect(await session.queue.list()).toEqual([]);
  // Deleting takes nothing back.
  await agent.delete(session.id);
  const other = await agent.create({ owner: 'ann' });
  expect(await refusalOf(other.send('Three'))).toMatchObject({ used: 1_100 });
  await time.advance(refused.retryAfterMs);
  expect(await ask(other, 'Three')).toEqual({ type: 'completed', finish: 'stop' });
  expect(driver.requests).toHaveLength(3);
});

it('ends a run before the step that is beyond the tokens, and keeps what was done', async () => {
  const { agent, store, driver } = await openAgent([{ calls: [call('a')], usage: usage(2_000) }], {
    tools: [look],
    quotaOf: quotaFor({ ann: { maxTokensPerDay: 1_000 } }),
  });
  const session = await agent.create({ owner: 'ann' });
  expect(await ask(session, 'Go')).toMatchObject({ type: 'broken', code: 'quota-exceeded' });
  expect(driver.requests).toHaveLength(1);
  expect(await storyOf(store, session)).toHaveLength(3);
});

it('answers a message that was taken as before, though nothing more may be sent', async () => {
  const { agent } = await openAgent([{ text: 'a', usage: usage(2_000) }], {
    quotaOf: quotaFor({ ann: { maxTokensPerDay: 1_000 } }),
  });
  const session = await agent.create({ owner: 'ann' });
  const sent = await session.send('Go', { id: 'once' });
  await session.settled();
  expect(await session.send('Go', { id: 'once' })).toEqual(sent);
  expect(await refusalOf(session.send('Go', { id: 'twice' }))).toMatchObject({ quota: 'tokens' });
});

it('counts what a model takes for summaries, and lets nobody have one made who has used it all', async () => {
  let asked = 0;
  const driver: Driver = {
    name: 'writer',
    complete: () => {
      asked += 1;
      const usage = { inputTokens: 900, outputTokens: 200 };
      return Promise.resolve({ type: 'text', text: '## Completed Work\n- Looked.', finish: 'stop', usage });
    },
  };
  const { agent, store, time } = await openAgent(
    Array.from({ length: 12 }, () => ({ text: 'Well. '.repeat(400), usage: usage(10) })),
    {
      summariser: { type: 'model', driver, windowTokens: 50_000 },
      context: { windowTokens: 20_000, background: false },
      quotaOf: quotaFor({ ann: { maxTokensPerDay: 1_000 } }),
    },
  );
  const session = await agent.create({ owner: 'ann' });
  for (let turn = 0; turn < 6; turn += 1) await ask(session, `Question ${turn}`);
  expect(await session.compact()).toMatchObject({ type: 'compacted' });
  expect(asked).toBeGreaterThan(0);
  const hours = await store.usage?.tokens('ann', time.nowMs() - hourMs);
  expect(hours?.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(60 + 1_100 * asked);
  const askedBefore = asked;
  for (const work of [() => session.compact(), () => session.preview(), () => session.send('More')])
    expect(await refusalOf(work())).toMatchObject({ quota: 'tokens', used: 60 + 1_100 * askedBefore });
  expect(asked).toBe(askedBefore);
  // Of nobody nothing is counted.
  const free = await agent.create();
  for (let turn = 0; turn < 6; turn += 1) await ask(free, `Question ${turn}`);
  expect(await free.compact()).toMatchObject({ type: 'compacted' });
  expect(await store.usage?.tokens('', time.nowMs() - hourMs)).toEqual([]);
});

it('lets owners use so many tokens beside their sessions, together with what sessions and other processes use', async () => {
  const { agent, store, time } = await openAgent([{ text: 'a', usage: usage(300) }], {
    quotaOf: quotaFor({ ann: { maxTokensPerDay: 1_000 } }),
  });
  const counting = store.usage ?? expect.unreachable('It has `usage`.');
  let isAway = false;
  const usageOfStore: OwnerUsage = {
    ...counting,
    add: (owner, tokens) => (isAway ? Promise.reject(new Error('away')) : counting.add(owner, tokens)),
  };
  const quotaOf = quotaFor({ ann: { maxTokensPerDay: 1_000 } });
  const [here, there] = [1, 2].map(() => createTokenQuota({ usage: usageOfStore, clock: time, quotaOf }));
  if (!here || !there) return expect.unreachable();
  expect([here.counts('ann'), here.counts('bob')]).toEqual([true, false]);
  await ask(await agent.create({ owner: 'ann' }), 'Hello');
  expect(await here.refusalOf('ann')).toBeUndefined();
  here.used('ann', 300);
  isAway = true;
  there.used('ann', 350);
  await there.stored();
  isAway = false;
  // What was not stored waits for what comes next.
  there.used('ann', 50);
  await Promise.all([here.stored(), there.stored()]);
  // The other process is heard of within a second; what is used here counts at once.
  expect(await here.refusalOf('ann')).toBeUndefined();
  await time.advance(1_000);
  expect((await here.refusalOf('ann'))?.details).toMatchObject({
    quota: 'tokens',
    used: 1_000,
    limit: 1_000,
  });
  expect(await refusalOf(agent.send('Hello', { session: { owner: 'ann' } }))).toMatchObject({ used: 1_000 });
  await time.advance(24 * hourMs);
  expect(await here.refusalOf('ann')).toBeUndefined();
  here.used('ann', 1_000);
  expect((await here.refusalOf('ann'))?.details).toMatchObject({ used: 1_000 });
  expect(await here.refusalOf('bob')).toBeUndefined();
});

it('refuses a store that counts nothing', async () => {
  const open = openAgent([], {
    quotaOf: () => ({ maxSessions: 1 }),
    wrapStore: (store) => Object.defineProperty({ ...store }, 'usage', { value: undefined }),
  });
  await expect(open).rejects.toMatchObject({ code: 'invalid-option', details: { option: 'store' } });
});

it('limits sessions of nobody as those of others', async () => {
  const { agent } = await openAgent([], { quotaOf: () => ({ maxSessions: 1 }) });
  await agent.create();
  expect(await refusalOf(agent.create())).toMatchObject({ owner: '', quota: 'sessions', used: 1 });
});
