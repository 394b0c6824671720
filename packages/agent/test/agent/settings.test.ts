import { ask, dataOf, openAgent, record } from './agent-bench.ts';
import { completeText, scriptedDriver, scriptedModelDriver } from '@throughline/testkit';
import { createStrategy } from '@throughline/core';
import { expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { longTurn, openNarrow } from './long-bench.ts';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';
import type { Agent } from '../../src/index.ts';

it('takes other settings at run time, in open sessions from the next step on, and in new ones', async () => {
  const here = Promise.withResolvers<Agent>();
  const calls: number[] = [];
  const tool = defineTool({
    name: 'long',
    description: 'Says much',
    input: z.object({ number: z.number() }),
    reads: () => [],
    execute: async ({ number }) => {
      calls.push(number);
      // In the middle of a run.
      if (number === 3)
        (await here.promise).settings.set({
          windowTokens: 8_000,
          strategy: createStrategy('threshold-tail'),
        });
      return `${number} `.repeat(1_500);
    },
  });
  const { agent } = await openNarrow(longTurn(1, 10), { tools: [tool], context: { windowTokens: 200_000 } });
  here.resolve(agent);
  const session = await agent.create();
  const events = record(session);
  expect((await session.context()).windowTokens).toBe(200_000);
  await ask(session, 'Go');
  // It was large enough before.
  expect(dataOf(events, 'context:usage').some(({ windowTokens }) => windowTokens === 200_000)).toBe(true);
  const checkpoints = await session.checkpoints();
  expect(checkpoints.length).toBeGreaterThan(0);
  for (const { checkpoint } of checkpoints) expect(checkpoint.strategy).toBe('threshold-tail');
  expect((await session.context()).windowTokens).toBe(8_000);
  expect((await (await agent.create()).context()).windowTokens).toBe(8_000);
  expect(agent.settings.get()).toMatchObject({ windowTokens: 8_000, strategy: { name: 'threshold-tail' } });
});

it('takes another summariser, and refuses what is no setting without changing anything', async () => {
  const more = 'It went on and on like this. '.repeat(12);
  const driver = scriptedDriver(completeText(`## Completed Work\nRead all of it.\n${more}`));
  const { agent } = await openNarrow(longTurn(1, 6), {
    context: { windowTokens: 40_000, background: false },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  const before = agent.settings.get();
  for (const wrong of [{ windowTokens: 0 }, { colour: 'red' }, { strategy: {} }, { budget: { target: 2 } }])
    expect(() => agent.settings.set(wrong as never)).toThrow(/./);
  expect(agent.settings.get()).toEqual(before);
  expect(before.summariser).toEqual({ type: 'code' });
  agent.settings.set({ summariser: { type: 'model', driver, windowTokens: 40_000 } });
  const outcome = await session.compact();
  expect(outcome).toMatchObject({ type: 'compacted', summary: expect.stringContaining('Read all of it.') });
});

it('names a session after its first turn, once, and never one that has a title', async () => {
  const { agent, another } = await openAgent([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }], {
    titles: 'code',
  });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Fix the login. It is broken.');
  await until(() => dataOf(events, 'session:updated').length > 0);
  expect((await session.info()).title).toBe('Fix the login');
  await session.rename('Mine');
  await ask(session, 'And?');
  await rest();
  expect((await session.info()).title).toBe('Mine');
  expect(dataOf(events, 'session:updated')).toEqual([{ title: 'Fix the login' }, { title: 'Mine' }]);
  const named = await agent.create({ title: 'Given' });
  await ask(named, 'Go on');
  await rest();
  expect((await named.info()).title).toBe('Given');
  // Without the option nothing is named.
  const { agent: other } = await another({ script: [{ text: 'ok' }], titles: false });
  const unnamed = await other.create();
  await ask(unnamed, 'Go');
  await rest();
  expect((await unnamed.info()).title).toBeNull();
});

it('asks the model that writes summaries for a title, and keeps what the user has given meanwhile', async () => {
  const gate = Promise.withResolvers<void>();
  const driver = {
    name: 'titles',
    complete: async () => {
      await gate.promise;
      return completeText('Login repaired');
    },
  };
  const { agent } = await openAgent([{ text: 'One' }, { text: 'One' }], {
    titles: 'model',
    summariser: { type: 'model', driver, windowTokens: 10_000 },
  });
  const slow = await agent.create();
  await ask(slow, 'Fix the login.');
  await slow.rename('Mine');
  gate.resolve();
  await rest();
  expect((await slow.info()).title).toBe('Mine');
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Fix the login.');
  await until(() => dataOf(events, 'session:updated').length > 1);
  expect(dataOf(events, 'session:updated')).toEqual([
    { title: 'Fix the login' },
    { title: 'Login repaired' },
  ]);
  expect((await session.info()).title).toBe('Login repaired');
});

it.each(['code', 'model'] as const)(
  'names a session while its first message is at work (titles by %s)',
  async (titles) => {
    const { agent } = await openAgent([{ text: 'Well', hangs: true }], { titles });
    const session = await agent.create();
    const events = record(session);
    await session.send('Fix the login. It is broken.');
    await until(() => dataOf(events, 'session:updated').length > 0);
    expect(session.isRunning).toBe(true);
    expect((await session.info()).title).toBe('Fix the login');
    await session.cancel();
  },
);

it('names a session anew that another first message begins, and leaves a title that somebody gave', async () => {
  const { agent } = await openAgent(
    Array.from({ length: 6 }, () => ({ text: 'Done' })),
    { titles: 'code' },
  );
  const session = await agent.create();
  await ask(session, 'Fix the login.');
  await ask(session, 'And the logout.');
  const titleOf = async (place: number, content: string): Promise<string | null> => {
    const { session: other } = await session.branch(place, content);
    await other.settled();
    await rest();
    return (await other.info()).title;
  };
  expect(await titleOf(0, 'Rather the mail.')).toBe('Rather the mail');
  expect((await session.info()).title).toBe('Fix the login');
  expect(await titleOf(2, 'And the mail.')).toBe('Fix the login');
  await session.rename('Mine');
  expect(await titleOf(0, 'Rather the post.')).toBe('Mine');
});

it('tells a session apart that begins with the same sentence, and heeds a title by hand where a model makes them', async () => {
  const driver = { name: 'titles', complete: () => Promise.resolve(completeText('Login repaired')) };
  const { agent } = await openAgent(
    Array.from({ length: 6 }, () => ({ text: 'Done' })),
    { titles: 'model', summariser: { type: 'model', driver, windowTokens: 10_000 } },
  );
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Fix the login. It is slow.');
  await until(() => dataOf(events, 'session:updated').length > 1);
  const titleOf = async (from: typeof session, content: string): Promise<string | null> => {
    const { session: other } = await from.branch(0, content);
    await other.settled();
    await rest();
    return (await other.info()).title;
  };
  expect(await titleOf(session, 'Fix the login. It is wrong.')).toBe('… It is wrong');
  const fork = await session.fork();
  expect((await fork.info()).title).toBe('Login repaired');
  expect(await titleOf(fork, 'Fix the page.')).toBe('Fix the page');
  await session.rename('Mine');
  expect(await titleOf(session, 'Fix the page.')).toBe('Mine');
});

it('names a session by code where its first turn fails, and asks no model for it', async () => {
  const failure = { kind: 'provider', message: 'The server burns.', recoverable: false } as const;
  let asked = 0;
  const complete = () => Promise.resolve(completeText(`Asked ${(asked += 1)} times`));
  const driver = { name: 'titles', complete };
  const { agent } = await openAgent([{ failure }], {
    titles: 'model',
    summariser: { type: 'model', driver, windowTokens: 10_000 },
  });
  const session = await agent.create();
  const events = record(session);
  expect((await ask(session, 'Fix the login. It is broken.'))?.type).toBe('failed');
  await until(() => dataOf(events, 'session:updated').length > 0);
  expect((await session.info()).title).toBe('Fix the login');
  expect(asked).toBe(0);
});

it('takes another model for sessions that are opened from then on, and leaves it to those that are open which they have', async () => {
  const { agent, driver } = await openAgent([{ text: 'As ever' }]);
  const other = { ...scriptedModelDriver([{ text: 'By the other' }]), name: 'scripted:other' };
  const open = await agent.create();
  agent.settings.set({ driver: other });
  expect(agent.settings.get().driver).toBe(other);
  const later = await agent.create();
  expect([open.model.name, later.model.name]).toEqual([driver.name, other.name]);
  agent.settings.set({ driver: undefined });
  expect((await agent.create()).model.name).toBe(driver.name);
  expect(() => agent.settings.set({ driver: {} as never })).toThrow(/driver/);
});
