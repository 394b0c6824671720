import { ask, call, dataOf, look, openAgent, record, storyOf } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { expect, it } from 'vitest';
import { diskFull, mortalStore } from './mortal-store.ts';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';

const deaf = defineTool({
  name: 'deaf',
  description: 'Never ends',
  input: z.object({}),
  reads: () => [],
  execute: () => new Promise<string>(() => {}),
});

it('lets the model conclude without tools when the steps are used up', async () => {
  const { agent, driver, store } = await openAgent(
    [{ calls: [call('a')] }, { calls: [call('b')] }, { text: 'So far: x.' }, { text: 'More.' }],
    { tools: [look], limits: { maxSteps: 2 } },
  );
  const session = await agent.create();
  expect(await ask(session, 'Go')).toEqual({ type: 'limit', limit: 'steps', isConcluded: true });
  expect(driver.requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, 'none']);
  expect(driver.requests[2]?.tools).toEqual(driver.requests[0]?.tools);
  expect(JSON.stringify(driver.requests[2]?.messages.at(-1))).toContain('limit of this run');
  expect(await ask(session, 'Go on')).toEqual({ type: 'completed', finish: 'stop' });
  expect(JSON.stringify(driver.requests[3])).not.toContain('limit of this run');
  expect((await storyOf(store, session)).at(-3)).toBe('assistant text:So far: x.');
});

it('answers the calls of a model that calls although it is to conclude', async () => {
  const { agent, store, driver } = await openAgent(
    [{ calls: [call('a')] }, { text: 'No:', calls: [call('b')] }],
    {
      tools: [look],
      limits: { maxSteps: 1 },
    },
  );
  const session = await agent.create();
  expect(await ask(session, 'Go')).toEqual({ type: 'limit', limit: 'steps', isConcluded: true });
  expect((await storyOf(store, session)).at(-1)).toMatch(
    /^tool result:b!The limit of this run.*nothing was done/,
  );
  expect(driver.requests).toHaveLength(2);
});

it('does without the last step where there is no time for it', async () => {
  const { agent, driver } = await openAgent([{ calls: [call('a')] }], {
    tools: [look],
    limits: { maxSteps: 1, graceMs: 0 },
  });
  const session = await agent.create();
  expect(await ask(session, 'Go')).toEqual({ type: 'limit', limit: 'steps', isConcluded: false });
  expect(driver.requests).toHaveLength(1);
});

it('ends a tool when the time is over, and lets the model conclude', async () => {
  const { agent, store, time, driver } = await openAgent(
    [{ calls: [call('a', 'deaf', {})] }, { text: 'So far.' }],
    {
      tools: [deaf],
      limits: { maxDurationMs: 5_000 },
    },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => dataOf(events, 'step:end').length === 1);
  await time.advance(5_000);
  expect(await session.settled()).toEqual({ type: 'limit', limit: 'time', isConcluded: true });
  expect(driver.requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, 'none']);
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant call:a',
    expect.stringMatching(/^tool result:a!.*cancelled/),
    'assistant text:So far.',
  ]);
});

it('ends a step when the time is over, and keeps what it said', async () => {
  const { agent, store, time, driver } = await openAgent(
    [{ text: 'Half', hangs: true }, { text: 'So far.' }],
    {
      limits: { maxDurationMs: 5_000 },
    },
  );
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await time.advance(5_000);
  expect(await session.settled()).toEqual({ type: 'limit', limit: 'time', isConcluded: true });
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant text:Half',
    'assistant text:So far.',
  ]);
});

it('ends the last step, too, when its own time is over', async () => {
  const { agent, time, driver } = await openAgent(
    [
      { text: 'a', hangs: true },
      { text: 'b', hangs: true },
    ],
    {
      limits: { maxDurationMs: 5_000, graceMs: 1_000 },
    },
  );
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await time.advance(5_000);
  await until(() => driver.requests.length === 2);
  await time.advance(1_000);
  expect(await session.settled()).toEqual({ type: 'limit', limit: 'time', isConcluded: false });
});

it('is cancelled in its last step like in any other, and runs none of its calls later', async () => {
  const { agent, driver, store } = await openAgent(
    [{ calls: [call('a')] }, { calls: [call('b')], hangs: true }, { text: 'ok' }],
    {
      tools: [look],
      limits: { maxSteps: 1 },
    },
  );
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 2);
  await session.cancel();
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect((await storyOf(store, session)).at(-1)).toMatch(/^tool result:b!.*nothing was done/);
});

it('limits the time of calls that a dead process has left, too', async () => {
  const patient = { ...deaf, idempotent: true };
  const mortal = mortalStore();
  const { agent, time, driver, another } = await openAgent([{ calls: [call('a', 'deaf', {})] }], {
    tools: [patient],
    wrapStore: mortal.wrap,
  });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await rest();
  mortal.failWith(diskFull());
  await time.advance(20_000);
  expect(await session.settled()).toMatchObject({ type: expect.stringMatching(/broken|lost/) });
  mortal.failWith(undefined);
  const { agent: next } = await another({ script: [{ text: 'So far.' }], limits: { maxDurationMs: 5_000 } });
  const again = await next.open(session.id);
  expect(await again.resume()).toBeDefined();
  await time.advance(5_000);
  expect(await again.settled()).toEqual({ type: 'limit', limit: 'time', isConcluded: true });
});

it('tells the model how much room is left where that is wanted', async () => {
  const { agent, driver } = await openAgent([{ text: 'ok' }], { context: { showsBudget: true } });
  await ask(await agent.create(), 'Go');
  expect(JSON.stringify(driver.requests[0]?.messages.at(-1))).toMatch(/token/);
});

it('measures with the estimator that was handed in', async () => {
  const counted: string[] = [];
  const estimator = {
    name: 'a hundred for each text',
    count: (text: string) => {
      counted.push(text);
      return text === '' ? 0 : 100;
    },
  };
  const { agent } = await openAgent([{ text: 'ok' }], { instructions: 'Be brief.', context: { estimator } });
  const session = await agent.create();
  await ask(session, 'Go');
  expect(counted).toEqual(expect.arrayContaining(['Be brief.', 'Go', 'ok']));
  expect((await session.context()).byCategory.system).toBe(100);
});

it('tells why the model had no last word', async () => {
  const failure = { kind: 'provider', message: 'down', recoverable: true } as const;
  const { agent } = await openAgent([{ calls: [call('a')] }, { failure }], {
    tools: [look],
    limits: { maxSteps: 1 },
  });
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'Go')).toEqual({ type: 'limit', limit: 'steps', isConcluded: false });
  expect(dataOf(events, 'llm:error')).toEqual([
    { error: { code: 'provider', message: 'down' }, context: 'step', recoverable: true },
  ]);
});
