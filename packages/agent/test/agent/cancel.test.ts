import { ask, call, dataOf, look, openAgent, record, storyOf, typesOf } from './agent-bench.ts';
import { anthropicCodec, createStrategy } from '@throughline/core';
import { defineTool } from '../../src/index.ts';
import { describe, expect, it } from 'vitest';
import { diskFull, mortalStore } from './mortal-store.ts';
import { until } from './virtual-time.ts';
import { z } from 'zod';
import type { AgentBench } from './agent-bench.ts';
import type { AgentSession } from '../../src/index.ts';
import type { Driver } from '@throughline/ports';

const deaf = defineTool({
  name: 'deaf',
  description: 'Never ends and does not listen',
  input: z.object({}),
  reads: () => [],
  execute: async (_, { emit }) => {
    emit('so far\n');
    return await new Promise<string>(() => {});
  },
});

it('ends a run at once whose tool does not listen, and keeps what the tool had put out', async () => {
  const { agent, store, driver } = await openAgent(
    [{ text: 'I try.', calls: [call('a', 'deaf', {})] }, { text: 'I see.' }],
    {
      tools: [deaf],
    },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => typesOf(events).includes('step:end'));
  await session.cancel();
  expect(session.isRunning).toBe(false);
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect((await storyOf(store, session)).at(-1)).toMatch(/^tool result:a!so far\n.*cancelled/s);
  expect(dataOf(events, 'llm:tool-result')).toMatchObject([{ isCancelled: true, success: false }]);
  expect((await store.history.page(session.id)).items.at(-1)?.marks).toEqual([{ isCancelled: true }]);
  expect(typesOf(events).filter((type) => type === 'run:end')).toHaveLength(1);
  expect((await session.info()).status).toBe('idle');
  expect(await ask(session, 'And?')).toEqual({ type: 'completed', finish: 'stop' });
  expect(JSON.stringify(driver.requests[1]?.messages)).toMatch(/I try\..*so far.*And\?/s);
});

it('keeps the text that was streamed when a run is cancelled, and sends it on', async () => {
  const { agent, store, driver } = await openAgent(
    [{ reasoning: 'hm', text: ['Half ', 'an answer'], hangs: true }, { text: 'The rest' }, { text: 'ok' }],
    { codec: anthropicCodec },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await session.cancel();
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect((await storyOf(store, session))[1]).toBe('assistant reasoning:hm text:Half an answer');
  expect(dataOf(events, 'llm:response')).toMatchObject([{ content: 'Half an answer', isPartial: true }]);
  const resumed = await session.resume();
  expect(resumed).toBeDefined();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(JSON.stringify(driver.requests[1]?.messages)).toMatch(/Half an answer.*cut off/s);
  expect(dataOf(events, 'run:start').map(({ isResumed }) => isResumed)).toEqual([false, true]);
  await ask(session, 'Thanks');
  expect(JSON.stringify(driver.requests[2]?.messages)).toMatch(/Half an answer.*The rest.*Thanks/s);
  expect(await session.resume()).toBeUndefined();
});

it('does not run the calls of an answer that was cut off, not even later', async () => {
  let runs = 0;
  const once = defineTool({
    name: 'once',
    description: 'Counts',
    input: z.object({}),
    reads: () => [],
    execute: () => `${(runs += 1)}`,
  });
  const { agent, store, driver } = await openAgent(
    [{ calls: [call('a', 'once', {})], hangs: true }, { text: 'ok' }],
    {
      tools: [once],
    },
  );
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await session.cancel();
  expect((await storyOf(store, session)).at(-1)).toMatch(/^tool result:a!.*nothing was done/);
  await session.resume();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(runs).toBe(0);
});

/** A window that a few long results fill. */
const narrow = { windowTokens: 6_000, strategy: createStrategy('reactive-overflow') };
const long = defineTool({
  name: 'long',
  description: 'Says much',
  input: z.object({}),
  reads: () => [],
  execute: () => 'Words and more words, and none of them twice. '.repeat(150),
});

it('leaves the old view when it is cancelled while a summary is being written', async () => {
  let asked = 0;
  const driver: Driver = {
    name: 'slow',
    complete: () => {
      asked += 1;
      return new Promise(() => {});
    },
  };
  const steps = Array.from({ length: 12 }, (_, index) => ({ calls: [call(`c${index}`, 'long', {})] }));
  const { agent, store } = await openAgent(steps, {
    tools: [long],
    context: { ...narrow, background: false },
    summariser: { type: 'model', driver, windowTokens: 20_000 },
  });
  const session = await agent.create();
  const events = record(session);
  await session.send('Go on until it is done');
  await until(() => asked > 0);
  const before = await storyOf(store, session);
  await session.cancel();
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect(typesOf(events)).toContain('compaction:start');
  expect(typesOf(events)).toContain('compaction:cancelled');
  expect(typesOf(events)).not.toContain('context:compressed');
  expect(await storyOf(store, session)).toEqual(before);
  expect(
    (await session.checkpoints()).map(({ summary }) => summary).filter((summary) => summary !== null),
  ).toEqual([]);
  expect((await session.info()).status).toBe('idle');
  expect(dataOf(events, 'run:end')).toHaveLength(1);
});

it('does nothing when it is cancelled while nothing is busy', async () => {
  const { agent } = await openAgent([{ text: 'ok' }], { tools: [look] });
  const session = await agent.create();
  await session.cancel();
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  await session.cancel();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
});

it('begins no step when it is cancelled right behind the message', async () => {
  const { agent, driver, store } = await openAgent([{ text: 'ok' }]);
  const session = await agent.create();
  using _ = session.subscribe(({ type }) => void (type === 'run:start' && session.cancel()));
  await session.send('Go');
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect(driver.requests).toHaveLength(0);
  _[Symbol.dispose]();
  await session.resume();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session)).at(-1)).toBe('assistant text:ok');
});

it('takes the result of a tool that was cancelled for no success, whatever the tool says', async () => {
  let hasBegun = false;
  const obliging = defineTool({
    name: 'obliging',
    description: 'Answers when it is cancelled',
    input: z.object({}),
    reads: () => [],
    execute: async (_, { signal }) => {
      hasBegun = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      return { content: 'as far as it came', isCancelled: true };
    },
  });
  const { agent, store } = await openAgent([{ calls: [call('a', 'obliging', {})] }], { tools: [obliging] });
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => hasBegun);
  await session.cancel();
  expect(dataOf(events, 'llm:tool-result')).toMatchObject([{ success: false, isCancelled: true }]);
  expect((await storyOf(store, session)).at(-1)).toBe('tool result:a!as far as it came');
});

it('leaves what waits where it is when it is cancelled while a tool works', async () => {
  let hasBegun = false;
  const deaf = defineTool({
    name: 'deaf',
    description: 'Never ends',
    input: z.object({}),
    reads: () => [],
    execute: () => {
      hasBegun = true;
      return new Promise<string>(() => {});
    },
  });
  const { agent, store } = await openAgent([{ calls: [call('a', 'deaf', {})] }], { tools: [deaf] });
  const session = await agent.create();
  await session.send('Go');
  await until(() => hasBegun);
  await session.send('And then', { id: 'later' });
  await session.cancel();
  expect((await session.queue.list()).map(({ id }) => id)).toEqual(['later']);
  expect(JSON.stringify(await storyOf(store, session))).not.toContain('And then');
});

describe('the signal that a tool is given', () => {
  /** A tool that never ends by itself, and the signals of its calls. */
  function listening() {
    const signals: AbortSignal[] = [];
    const tool = defineTool({
      name: 'listen',
      description: 'Waits for its end',
      input: z.object({ waits: z.boolean() }),
      approval: 'allow',
      execute: async ({ waits }, { signal }) => {
        signals.push(signal);
        if (waits)
          await new Promise<void>((resolve) =>
            signal.addEventListener('abort', () => resolve(), { once: true }),
          );
        return 'heard';
      },
    });
    return { tool, signals, areAborted: () => signals.map(({ aborted }) => aborted) };
  }

  const ends: Readonly<Record<string, (bench: AgentBench, session: AgentSession) => unknown>> = {
    'is cancelled': (_, session) => session.cancel(),
    'is cancelled in another process': async ({ another, time }, { id }) => {
      await (await (await another()).agent.open(id)).cancel();
      await time.advance(20_000);
    },
    'has used up its time': ({ time }) => time.advance(60_000),
    'is left by an agent that stops': ({ agent }) => agent.stop(),
    'is one of a session that is disposed of': (_, session) => session[Symbol.asyncDispose](),
    'is one of a session that is deleted': ({ agent }, { id }) => agent.delete(id),
  };

  it.each(Object.keys(ends))('is aborted when its run %s, and with no other run', async (end) => {
    const { tool, signals, areAborted } = listening();
    const runs = [
      { calls: [call('a', 'listen', { waits: false })] },
      { text: 'One' },
      { calls: [call('b', 'listen', { waits: true })] },
      { text: 'Two' },
    ];
    const bench = await openAgent(runs, { tools: [tool], in: 'file', limits: { maxDurationMs: 50_000 } });
    const session = await bench.agent.create();
    const other = await bench.agent.create();
    await ask(session, 'Go');
    await session.send('And?');
    await until(() => signals.length === 2);
    // Another session of the same agent goes its own way.
    await other.cancel();
    expect(areAborted()).toEqual([false, false]);
    await ends[end]?.(bench, session);
    await until(() => signals[1]?.aborted === true);
    expect(areAborted()).toEqual([false, true]);
  });

  it('is aborted when another process has taken its session over', async () => {
    const mortal = mortalStore();
    const { tool, areAborted, signals } = listening();
    const script = [{ calls: [call('a', 'listen', { waits: true })] }];
    const bench = await openAgent(script, { tools: [tool], in: 'file', wrapStore: mortal.wrap });
    const session = await bench.agent.create();
    await session.send('Go');
    await until(() => signals.length === 1);
    mortal.failWith(diskFull());
    await bench.time.advance(20_000);
    await session.settled();
    expect(areAborted()).toEqual([true]);
  });
});
