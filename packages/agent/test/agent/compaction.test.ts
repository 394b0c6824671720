import { ask, call, dataOf, openAgent, record, storyOf, typesOf, messagesOf } from './agent-bench.ts';
import { completeText, scriptedDriver, scriptedModelDriver } from '@throughline/testkit';
import { createStrategy } from '@throughline/core';
import { defineTool } from '../../src/index.ts';
import { describe, expect, it } from 'vitest';
import { ends, eventDriver, says } from './event-driver.ts';
import { long, longTurn, openNarrow } from './long-bench.ts';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';
import type { Script } from './agent-bench.ts';
import type { AgentEvent } from '../../src/index.ts';
import type { Driver, ModelDriver } from '@throughline/ports';

it('has nothing to do before anything was said', async () => {
  const { agent } = await openNarrow([]);
  const session = await agent.create();
  expect((await session.preview()).type).toBe('nothing-to-do');
  expect((await session.compact()).type).toBe('nothing-to-do');
  expect((await session.request()).messages).toEqual([]);
});

// A summary that says hardly anything of a long history is refused.
const more = 'It went on and on like this. '.repeat(12);

it('compacts by itself when the window is full, and keeps the whole history', async () => {
  const { agent, store, driver } = await openNarrow(longTurn(1, 14));
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'Read all of it, task-4711.')).toEqual({ type: 'completed', finish: 'stop' });
  expect(await messagesOf(store, session)).toHaveLength(30);
  const compressed = dataOf(events, 'context:compressed');
  expect(compressed.length).toBeGreaterThan(0);
  for (const { originalTokens, compressedTokens } of compressed)
    expect(compressedTokens).toBeLessThan(originalTokens);
  for (const { messages } of driver.requests) expect(JSON.stringify(messages)).toContain('task-4711');
  expect((await session.checkpoints()).length).toBeGreaterThanOrEqual(compressed.length);
  expect((await session.context()).currentTokens).toBeLessThanOrEqual((await session.context()).limit);
});

it.each([
  { by: 'program', phases: ['pruning'], progress: [0] },
  { by: 'a model', phases: ['pruning', 'summarizing'], progress: [0, 0.5] },
])('tells the phases of a compaction by $by', async ({ by, phases, progress }) => {
  const driver = scriptedDriver(completeText(`## Completed Work\nRead all of it.\n${more}`));
  const { agent } = await openNarrow(longTurn(1, 6), {
    context: { windowTokens: 40_000, background: false },
    summariser: by === 'program' ? { type: 'code' } : { type: 'model', driver, windowTokens: 40_000 },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  const events = record(session);
  expect((await session.compact()).type).toBe('compacted');
  const told = dataOf(events, 'compaction:phase');
  expect(told.map(({ phase }) => phase)).toEqual(phases);
  expect(told.map((phase) => phase.progress)).toEqual(progress);
  const [start] = dataOf(events, 'compaction:start');
  expect(start?.tokensBefore).toBe(dataOf(events, 'context:compressed')[0]?.originalTokens);
  const types = typesOf(events).filter((type) => /^compaction|compressed/.test(type));
  expect([types.at(0), types.at(-1)]).toEqual(['compaction:start', 'context:compressed']);
});

it('shows what the next request will be, and how full it is', async () => {
  const { agent, driver } = await openNarrow(longTurn(1, 2), {
    instructions: 'Be brief.',
    context: { windowTokens: 40_000 },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  const { system, messages } = await session.request();
  expect(system).toBe('Be brief.');
  expect(messages.slice(0, driver.requests[2]?.messages.length)).toEqual(driver.requests[2]?.messages);
  const usage = await session.context();
  const sum = Object.values(usage.byCategory).reduce((total, tokens) => total + tokens, 0);
  expect(Math.abs(sum - usage.currentTokens)).toBeLessThanOrEqual(1);
  expect(usage.byCategory.toolResults).toBeGreaterThan(usage.byCategory.user);
});

it('tells more and more tokens while the history grows', async () => {
  const { agent } = await openNarrow(longTurn(1, 3), { context: { windowTokens: 100_000 } });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  const told = dataOf(events, 'context:usage').map(({ currentTokens }) => currentTokens);
  expect(told.length).toBeGreaterThanOrEqual(4);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect((await session.context()).currentTokens).toBeGreaterThanOrEqual(told.at(-1) ?? Infinity);
});

it('compacts, shows the difference and takes it back, all of it in the store', async () => {
  const { agent, another } = await openNarrow(longTurn(1, 6), { context: { windowTokens: 40_000 } });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  const before = await session.request();
  expect(await session.compare()).toBeUndefined();
  const preview = await session.preview();
  expect(preview.type).toBe('compacted');
  expect(await session.checkpoints()).toEqual([]);
  const outcome = await session.compact();
  expect(outcome).toMatchObject({
    type: 'compacted',
    checkpointId: expect.any(String),
    summary: expect.any(String),
  });
  if (outcome.type !== 'compacted' || preview.type !== 'compacted') throw new Error('unreachable');
  expect(preview.tokensAfter).toBe(outcome.tokensAfter);
  expect(outcome.tokensAfter).toBeLessThan(outcome.tokensBefore);
  expect((await session.info()).status).toBe('idle');
  const after = await session.request();
  expect(JSON.stringify(after).length).toBeLessThan(JSON.stringify(before).length);
  const compared = await session.compare();
  expect(compared?.before.length).toBeGreaterThan(compared?.now.length ?? Infinity);
  const { agent: next } = await another();
  expect(await (await next.open(session.id)).request()).toEqual(after);
  expect(await session.undo()).toMatchObject({ type: 'undone', checkpointId: outcome.checkpointId });
  expect(await session.request()).toEqual(before);
  expect(await session.undo()).toEqual({ type: 'nothing-to-undo' });
  expect(typesOf(events)).toEqual(expect.arrayContaining(['context:compressed', 'compaction:undone']));
  expect(dataOf(events, 'run:start')).toHaveLength(1);
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
});

it('does nothing where there is nothing to gain, and says so', async () => {
  const { agent } = await openAgent([{ text: 'Hi.' }]);
  const session = await agent.create();
  await ask(session, 'Hello');
  expect(await session.compact()).toMatchObject({ type: 'nothing-to-do', tokens: expect.any(Number) });
  expect(await session.checkpoints()).toEqual([]);
});

it('refuses to take back what would not fit', async () => {
  const budget = { leastGainTokens: 1_000_000 };
  const { agent } = await openNarrow(longTurn(1, 14), { context: { windowTokens: 8_000, budget } });
  const session = await agent.create();
  await ask(session, 'Go');
  const outcome = await session.undo();
  expect(outcome).toMatchObject({ type: 'refused' });
  if (outcome.type === 'refused') expect(outcome.viewTokens).toBeGreaterThan(outcome.usableTokens);
});

it('goes on after a compaction was taken back, in a new process, too', async () => {
  const script = [...longTurn(1, 6), ...longTurn(7, 1)];
  const { agent, another, store } = await openNarrow(script, { context: { windowTokens: 40_000 } });
  const session = await agent.create();
  await ask(session, 'Go');
  await session.compact();
  await session.undo();
  expect(await ask(session, 'More')).toEqual({ type: 'completed', finish: 'stop' });
  const { agent: next } = await another({ script: [{ text: 'Bye.' }] });
  const again = await next.open(session.id);
  expect(await again.request()).toEqual(await session.request());
  expect(await ask(again, 'Thanks')).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session)).at(-1)).toBe('assistant text:Bye.');
});

it('is busy for everybody else while a run goes on', async () => {
  const { agent, driver } = await openAgent([{ hangs: true }]);
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  expect(await session.compact({ strategy: createStrategy('reactive-overflow') })).toEqual({ type: 'busy' });
  expect(await session.undo()).toEqual({ type: 'busy' });
  expect(await session.switchModel(scriptedModelDriver([]))).toEqual({ type: 'busy' });
  expect((await session.preview()).type).toBe('nothing-to-do');
  expect(await session.resume()).toBeUndefined();
});

it('is cancelled like a run while the user compacts', async () => {
  const driver: Driver = { name: 'slow', complete: () => new Promise(() => {}) };
  const { agent } = await openNarrow(longTurn(1, 6), {
    context: { windowTokens: 40_000, background: false },
    summariser: { type: 'model', driver, windowTokens: 40_000 },
  });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  const before = await session.request();
  for (const how of ['session', 'signal'] as const) {
    const controller = new AbortController();
    const compacting = session.compact({ signal: controller.signal });
    await until(() => session.isRunning);
    await rest();
    if (how === 'session') await session.cancel();
    else controller.abort();
    expect(await compacting).toEqual({ type: 'cancelled' });
    expect(await session.request()).toEqual(before);
    expect((await session.info()).status).toBe('idle');
  }
  expect(typesOf(events).filter((type) => type === 'compaction:cancelled')).toHaveLength(2);
  expect(await session.checkpoints()).toEqual([]);
});

it('compacts with another strategy for once', async () => {
  const { agent } = await openNarrow([...longTurn(1, 6), ...longTurn(7, 1)], {
    context: { windowTokens: 40_000 },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  const outcome = await session.compact({ strategy: createStrategy('digest') });
  expect(outcome.type).toBe('compacted');
  const [made] = await session.checkpoints();
  expect(made?.checkpoint.strategy).toBe('digest');
  expect(await ask(session, 'More')).toEqual({ type: 'completed', finish: 'stop' });
});

it('does nothing when it is cancelled before it begins', async () => {
  const { agent } = await openNarrow(longTurn(1, 6), { context: { windowTokens: 40_000 } });
  const session = await agent.create();
  await ask(session, 'Go');
  expect(await session.compact({ signal: AbortSignal.abort() })).toEqual({ type: 'cancelled' });
  expect(await session.preview({ signal: AbortSignal.abort() })).toEqual({ type: 'cancelled' });
  expect(await session.checkpoints()).toEqual([]);
});

it('asks a model for the summary where there is one, and says what the focus is', async () => {
  const driver = scriptedDriver(
    completeText(`## Completed Work\nRead all of it.\n${more}`),
    completeText(`## Completed Work\nRead all of it.\n${more}`),
  );
  const { agent } = await openNarrow(longTurn(1, 6), {
    context: { windowTokens: 40_000, background: false },
    summariser: { type: 'model', driver, windowTokens: 40_000 },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  const outcome = await session.compact({ focus: 'the foxes' });
  expect(outcome).toMatchObject({ type: 'compacted', summary: expect.stringContaining('Read all of it.') });
  expect(JSON.stringify(driver.requests[0])).toContain('the foxes');
});

it('lets the former model compact before a smaller one goes on', async () => {
  const asked: string[] = [];
  const { agent, store } = await openAgent(longTurn(1, 12), {
    tools: [long],
    context: { background: false },
    summariser: {
      type: 'same',
      driverOf: (model) => ({
        name: model.name,
        complete: async () => {
          asked.push(model.name);
          return completeText('## Completed Work\nRead a lot.\n');
        },
      }),
    },
  });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  const small = {
    ...scriptedModelDriver([{ text: 'Here I am.' }]),
    name: 'small:one',
    model: 'one',
    provider: 'small',
    limits: { windowTokens: 8_000 },
  };
  expect(await session.switchModel(small)).toEqual({ type: 'switched', wasCompacted: true });
  expect(new Set(asked)).toEqual(new Set(['scripted:model']));
  expect(dataOf(events, 'llm:switched')).toEqual([
    { newConfig: { provider: 'small', model: 'one' }, historyRetained: true },
  ]);
  expect(session.model.name).toBe('small:one');
  expect((await session.info()).model).toBe('small:one');
  expect(await ask(session, 'And you?')).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session)).at(-1)).toBe('assistant text:Here I am.');
  expect((await session.context()).windowTokens).toBe(8_000);
});

it('switches a session in which nothing has been said', async () => {
  const { agent } = await openAgent([]);
  const session = await agent.create();
  const other = { ...scriptedModelDriver([{ text: 'Here I am.' }]), name: 'other:one', model: 'one' };
  expect(await session.switchModel(other)).toEqual({ type: 'switched', wasCompacted: false });
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  expect((await session.info()).model).toBe('other:one');
});

it('does not switch to a model that nothing of the session fits', async () => {
  const { agent } = await openAgent([{ text: 'ok' }], {
    instructions: 'Very long instructions. '.repeat(2_000),
  });
  const session = await agent.create();
  await ask(session, 'Go');
  const tiny = { ...scriptedModelDriver([]), name: 'tiny:one', limits: { windowTokens: 4_000 } };
  expect(await session.switchModel(tiny)).toMatchObject({ type: 'cannot-fit' });
  expect(session.model.name).toBe('scripted:model');
  expect((await session.info()).model).toBe('scripted:model');
});

it('forgets a limit that was learned of the former model', async () => {
  const failure = { kind: 'overflow', message: 'too large', recoverable: true, limitTokens: 9_000 } as const;
  const { agent } = await openAgent([{ failure }, { text: 'ok' }]);
  const session = await agent.create();
  await ask(session, 'Go');
  const larger = {
    ...scriptedModelDriver([{ text: 'ok' }]),
    name: 'large:one',
    model: 'one',
    limits: { windowTokens: 200_000 },
  };
  expect(await session.switchModel(larger)).toEqual({ type: 'switched', wasCompacted: false });
  expect((await session.context()).limit).toBeGreaterThan(100_000);
  expect(await ask(session, 'More')).toEqual({ type: 'completed', finish: 'stop' });
});

it('finds and recalls what was compacted away', async () => {
  const { agent } = await openNarrow(longTurn(1, 14));
  const session = await agent.create();
  await ask(session, 'Go');
  const [hit] = await session.search('1.7 The quick');
  expect(hit?.excerpt).toContain('1.7');
  expect((await session.recall(hit?.id ?? ''))?.text).toContain('1.59 The quick');
  expect((await session.history({ limit: 2 })).items).toHaveLength(2);
});

it('tells how full the context is behind a compaction', async () => {
  const { agent } = await openNarrow(longTurn(1, 6), { context: { windowTokens: 40_000 } });
  const session = await agent.create();
  await ask(session, 'Go');
  const events = record(session);
  await session.compact();
  expect(dataOf(events, 'context:usage').at(-1)).toEqual(await session.context());
  expect(dataOf(events, 'context:usage').at(-1)?.byCategory.summary).toBeGreaterThan(0);
});

it('says that a summary that was asked for has gained nothing', async () => {
  const { agent } = await openAgent(
    Array.from({ length: 4 }, (_, turn) => ({ text: `Answer ${turn}.` })),
    {
      context: { background: false },
      summariser: {
        type: 'model',
        driver: scriptedDriver(`## Completed Work\n${'Nothing was done. '.repeat(60)}`),
        windowTokens: 40_000,
      },
    },
  );
  const session = await agent.create();
  for (let turn = 0; turn < 4; turn += 1) await ask(session, `Question ${turn}?`);
  const events = record(session);
  expect((await session.compact()).type).toBe('nothing-to-do');
  const types = typesOf(events).filter((type) => /^compaction|compressed/.test(type));
  expect([types.at(0), types.at(-1)]).toEqual(['compaction:start', 'compaction:error']);
  expect(types).not.toContain('context:compressed');
  expect(dataOf(events, 'compaction:error')).toMatchObject([
    { error: { code: 'nothing-gained' }, canRetry: false },
  ]);
});

it('is running again while the model answers behind a compaction', async () => {
  const { agent } = await openNarrow(longTurn(1, 13), {
    context: { background: false },
    summariser: {
      type: 'model',
      windowTokens: 40_000,
      driver: { name: 'quick', complete: async () => completeText(`## Completed Work\nRead a lot. ${more}`) },
    },
  });
  const session = await agent.create();
  const events = record(session);
  const seen: Promise<string>[] = [];
  session.subscribe(({ type }) => {
    if (type === 'step:start') seen.push(session.info().then(({ status }) => status));
  });
  await ask(session, 'Go');
  expect(dataOf(events, 'compaction:phase').map(({ phase }) => phase)).toContain('summarizing');
  expect(new Set(await Promise.all(seen))).toEqual(new Set(['running']));
});

it('counts what was in the context, and not what a new result was before it was cut', async () => {
  const huge = defineTool({
    name: 'huge',
    description: 'Says very much',
    input: z.object({}),
    reads: () => [],
    execute: () => Array.from({ length: 4_000 }, (_, line) => `Line ${line} of it.`).join('\n'),
  });
  for (let before = 2; before < 10; before += 1) {
    const script = [
      ...longTurn(1, before).slice(0, before),
      { calls: [call('h', 'huge', {})] },
      { text: 'ok' },
    ];
    const { agent } = await openNarrow(script, { tools: [long, huge] });
    const session = await agent.create();
    const events = record(session);
    await ask(session, 'Go');
    const told = [
      ...dataOf(events, 'context:compressed').map(({ originalTokens }) => originalTokens),
      ...dataOf(events, 'context:pruned').map(({ savedTokens }) => savedTokens),
      ...dataOf(events, 'context:overflow').map(({ currentTokens }) => currentTokens),
    ];
    expect(Math.max(0, ...told), `${before}`).toBeLessThan(10_000);
  }
});

it.each([true, false])('writes a summary ahead of need where that is wanted: %s', async (background) => {
  let asked = 0;
  const { agent } = await openNarrow(longTurn(1, 9), {
    context: { windowTokens: 12_000, background },
    summariser: {
      type: 'model',
      windowTokens: 40_000,
      driver: {
        name: 'quick',
        complete: async () => {
          asked += 1;
          return completeText(`## Completed Work\nRead a lot. ${more}`);
        },
      },
    },
  });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  // Without it the same is asked for when space is needed, and the run waits for it.
  expect(dataOf(events, 'context:compressed').map(({ reason }) => reason)).toEqual([
    background ? 'background' : 'overflow',
  ]);
  expect(asked).toBe(1);
});

it('believes no count of a prompt that the server has cut', async () => {
  const usage = { inputTokens: 2_000, outputTokens: 1 };
  for (const wasCut of [true, false]) {
    const none = { reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalTokens: 2_001 };
    const driver = eventDriver([[...says('Hi'), ends({ wasCut, usage: { ...usage, ...none } })]]);
    const { agent } = await openAgent([], { driver, instructions: 'word '.repeat(3_000) });
    const session = await agent.create();
    await ask(session, 'Go');
    const { currentTokens } = await session.context();
    if (wasCut) expect(currentTokens).toBeGreaterThan(2_500);
    else expect(currentTokens).toBeLessThan(2_500);
  }
});

describe('old output, where prices are known', () => {
  const context = { windowTokens: 40_000 };
  const priced = (script: Script) => ({ ...scriptedModelDriver(script), model: 'claude-sonnet-4-5' });

  it.each([true, false])(
    'is pruned at the end of a run where that pays, if that is wanted: %s',
    async (auto) => {
      const driver = priced(longTurn(1, 20));
      const { agent } = await openNarrow([], { driver, context: { ...context, auto } });
      const session = await agent.create();
      const events = record(session);
      await ask(session, 'Go');
      const types = typesOf(events);
      expect(types.slice(types.lastIndexOf('step:end')).includes('context:pruned')).toBe(auto);
    },
  );

  it.each([
    [0, false],
    [24 * 3_600_000, true],
  ])('is pruned without need once the cache is cold, after %i ms: %s', async (pauseMs, isPruned) => {
    const first = { context: { ...context, auto: false } };
    const { agent, time, another } = await openNarrow(longTurn(1, 20), first);
    const { id } = await agent.create();
    await ask(await agent.open(id), 'Go');
    await time.advance(pauseMs);
    const { agent: next } = await another({ driver: priced(longTurn(21, 1)), context });
    const session = await next.open(id);
    const events = record(session);
    await ask(session, 'Go');
    const types = typesOf(events);
    expect(types.slice(0, types.indexOf('step:start')).includes('context:pruned')).toBe(isPruned);
  });
});

describe('old output, where no prices are known', () => {
  const prunedAtTheEnd = (events: readonly AgentEvent[]): boolean => {
    const types = typesOf(events);
    return types.slice(types.lastIndexOf('step:end')).includes('context:pruned');
  };

  it.each([
    [1_000, true],
    [30_000, false],
  ])('is pruned at the end of a run that gains at least %i tokens: %s', async (leastGainTokens, isPruned) => {
    const context = { windowTokens: 40_000, budget: { leastGainTokens } };
    const { agent } = await openNarrow(longTurn(1, 20), { context });
    const session = await agent.create();
    const events = record(session);
    await ask(session, 'Go');
    expect(prunedAtTheEnd(events)).toBe(isPruned);
  });

  it.each([{ auto: false }, { strategy: createStrategy('digest', { trigger: 'manual' }) }])(
    'stays where only the user compacts: %o',
    async (manual) => {
      const context = { windowTokens: 40_000, budget: { leastGainTokens: 1_000 }, ...manual };
      const { agent } = await openNarrow(longTurn(1, 20), { context });
      const session = await agent.create();
      const events = record(session);
      await ask(session, 'Go');
      expect(prunedAtTheEnd(events)).toBe(false);
    },
  );

  it('is pruned also where the turn has thrown, and the fault is told as it was', async () => {
    const driver = scriptedModelDriver(longTurn(1, 20));
    const broken: ModelDriver = {
      ...driver,
      stream: (request, options) => {
        if (driver.requests.length === 20) throw new TypeError('The driver broke.');
        return driver.stream(request, options);
      },
    };
    const context = { windowTokens: 40_000, budget: { leastGainTokens: 1_000 } };
    const { agent, store } = await openNarrow([], { driver: broken, context });
    const session = await agent.create();
    const events = record(session);
    const outcome = await ask(session, 'Go');
    expect(outcome).toMatchObject({ type: 'broken', message: 'The driver broke.' });
    expect(prunedAtTheEnd(events)).toBe(true);
    expect((await store.history.context(session.id)).state?.changes.length).toBeGreaterThan(0);
  });
});
