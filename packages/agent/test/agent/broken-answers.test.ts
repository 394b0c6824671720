import { ask, call, dataOf, look, openAgent, record, storyOf } from './agent-bench.ts';
import { calls, ends, eventDriver, says, thinks } from './event-driver.ts';
import { defineTool } from '../../src/index.ts';
import { describe, expect, it } from 'vitest';
import { scriptedModelDriver } from '@throughline/testkit';
import { until, whileTimePasses } from './virtual-time.ts';
import { z } from 'zod';
import type { AgentBench } from './agent-bench.ts';
import type { AgentSession } from '../../src/index.ts';
import type { ModelDriver, ModelEvent, ModelFailure } from '@throughline/ports';

const reset: ModelFailure = { kind: 'provider', message: 'terminated', recoverable: true };
const broken: ModelEvent = { type: 'error', failure: reset, messages: [] };
const goOn = /Go on where it stopped/;

/** Sends a message, and lets every wait of the run pass. */
async function askPatiently({ agent, time }: AgentBench, text: string): Promise<AgentSession> {
  const session = await agent.create();
  await whileTimePasses(time, ask(session, text));
  return session;
}

const begun: Readonly<Record<string, readonly ModelEvent[]>> = {
  'in its text': [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', text: 'Half' },
    { type: 'text-end', id: 't' },
  ],
  'in its reasoning': thinks('Hm'),
  'in the arguments of a call': [
    { type: 'tool-input-start', callId: 'x', name: 'look', isProviderExecuted: false },
    { type: 'tool-input-delta', callId: 'x', text: '{"at":' },
  ],
  'between two calls': [...says('I look.'), calls('x')],
};

describe.each(Object.entries(begun))('an answer that breaks off %s', (_, events) => {
  it('is gone on with, and what was said stays', async () => {
    const driver = eventDriver([
      [...events, broken],
      [...says('Done.'), ends()],
    ]);
    const bench = await openAgent([], { driver, tools: [look] });
    const session = await askPatiently(bench, 'Go');
    expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
    expect(driver.requests).toHaveLength(2);
    const story = await storyOf(bench.store, session);
    expect(story[0]).toBe('user text:Go');
    expect(story.at(-1)).toBe('assistant text:Done.');
    const said = story.length > 2;
    expect(goOn.test(JSON.stringify(driver.requests[1]))).toBe(said);
  });

  it('is told as a further try and as no failure of the model', async () => {
    const driver = eventDriver([
      [...events, broken],
      [...says('Done.'), ends()],
    ]);
    const { agent, time } = await openAgent([], { driver, tools: [look] });
    const session = await agent.create();
    const told = record(session);
    await session.send('Go');
    await until(() => dataOf(told, 'llm:retry').length === 1);
    await time.advance(2_000);
    await session.settled();
    expect(dataOf(told, 'llm:retry')).toMatchObject([{ attempt: 2, reason: reset }]);
    expect(dataOf(told, 'llm:error')).toEqual([]);
  });
});

it('does not run the calls of an answer that broke off, and runs those before it once', async () => {
  let runs = 0;
  const count = defineTool({
    name: 'count',
    description: 'Counts',
    input: z.object({}),
    reads: () => [],
    execute: () => `run ${(runs += 1)}`,
  });
  const bench = await openAgent(
    [
      { calls: [call('a', 'count', {})] },
      { text: 'Again.', calls: [call('b', 'count', {})], failure: reset },
      { text: 'One.' },
    ],
    { tools: [count] },
  );
  const session = await askPatiently(bench, 'Go');
  expect(runs).toBe(1);
  expect(await storyOf(bench.store, session)).toEqual([
    'user text:Go',
    'assistant call:a',
    'tool result:a=run 1',
    'assistant text:Again. call:b',
    expect.stringMatching(/^tool result:b!.*nothing was done/),
    'assistant text:One.',
  ]);
});

it('gives up after five tries in one step', async () => {
  const bench = await openAgent(Array.from({ length: 5 }, () => ({ text: 'Half', failure: reset })));
  const session = await askPatiently(bench, 'Go');
  expect(await session.settled()).toMatchObject({ type: 'failed', failure: reset });
  expect(bench.driver.requests).toHaveLength(5);
});

it('does not go on by itself where that is switched off', async () => {
  const { agent, driver } = await openAgent([{ text: 'Half', failure: reset }], { retry: false });
  expect(await ask(await agent.create(), 'Go')).toMatchObject({ type: 'failed', failure: reset });
  expect(driver.requests).toHaveLength(1);
});

it('ends at once when it is cancelled while it waits', async () => {
  const { agent, driver } = await openAgent([{ text: 'Half', failure: reset }]);
  const session = await agent.create();
  const told = record(session);
  await session.send('Go');
  await until(() => dataOf(told, 'llm:retry').length === 1);
  await session.cancel();
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect(driver.requests).toHaveLength(1);
});

it('goes on with the concluding step too, and still without tools', async () => {
  const bench = await openAgent(
    [{ calls: [call('a')] }, { text: 'So far', failure: reset }, { text: ': x.' }],
    {
      tools: [look],
      limits: { maxSteps: 1 },
    },
  );
  const session = await askPatiently(bench, 'Go');
  expect(await session.settled()).toEqual({ type: 'limit', limit: 'steps', isConcluded: true });
  const last = bench.driver.requests[2];
  expect(last?.toolChoice).toBe('none');
  expect(JSON.stringify(last)).toMatch(/limit of this run.*Go on where it stopped/s);
});

describe('a bare driver', () => {
  const bare = (script: Parameters<typeof scriptedModelDriver>[0]): ModelDriver & { requests: unknown } => {
    const { guards: _, ...driver } = scriptedModelDriver(script);
    return driver;
  };
  const busy: ModelFailure = { kind: 'rate', message: 'slowly', recoverable: true };

  it('is asked again after a 429, as if it had been wrapped', async () => {
    const driver = bare([{ failure: busy }, { failure: busy }, { text: 'Now.' }]);
    const bench = await openAgent([], { driver });
    const session = await askPatiently(bench, 'Go');
    expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  });

  it('is not waited for for ever', async () => {
    const driver = bare([{ text: 'Half', hangs: true }, { text: ' and whole.' }]);
    const { agent, time } = await openAgent([], { driver });
    const session = await agent.create();
    const told = record(session);
    await session.send('Go');
    await until(() => dataOf(told, 'llm:chunk').length > 0 || time.pending > 2);
    await time.advance(300_000);
    await time.advance(2_000);
    expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
    expect(dataOf(told, 'llm:retry')).toMatchObject([{ reason: { kind: 'timeout' } }]);
  });

  it('is left alone where retry and limit are switched off', async () => {
    const driver = bare([{ failure: busy }]);
    const { agent } = await openAgent([], { driver, retry: false, idle: false });
    expect(await ask(await agent.create(), 'Go')).toMatchObject({ type: 'failed', failure: busy });
  });
});
