import { ask, call, dataOf, look, openAgent, record, storyOf, typesOf } from './agent-bench.ts';
import { describe, expect, it } from 'vitest';
import { ends, eventDriver, says } from './event-driver.ts';
import { long, longTurn, openNarrow } from './long-bench.ts';
import type { FailureKind } from '@throughline/ports';

const kinds: readonly FailureKind[] = ['rate', 'auth', 'timeout', 'provider', 'media', 'cancelled'];

describe.each(kinds)('a failure of kind %s that nobody can mend', (kind) => {
  it('ends the run, keeps what was said and loses nothing', async () => {
    const recoverable = false;
    const { agent, store, driver } = await openAgent([
      { text: 'Half', failure: { kind, message: 'no', recoverable } },
      { text: 'Whole' },
    ]);
    const session = await agent.create();
    const events = record(session);
    const outcome = await ask(session, 'Go');
    if (kind === 'cancelled') expect(outcome).toEqual({ type: 'cancelled' });
    else expect(outcome).toMatchObject({ type: 'failed', failure: { kind, recoverable } });
    const told = dataOf(events, 'llm:error');
    if (kind !== 'cancelled')
      expect(told).toEqual([{ error: { code: kind, message: 'no' }, context: 'step', recoverable }]);
    expect(dataOf(events, 'run:end')).toHaveLength(1);
    expect(await storyOf(store, session)).toEqual(['user text:Go', 'assistant text:Half']);
    expect(await session.resume()).toBeDefined();
    expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
    expect(await storyOf(store, session)).toEqual([
      'user text:Go',
      'assistant text:Half',
      'assistant text:Whole',
    ]);
    expect(JSON.stringify(driver.requests[1])).toContain('Half');
  });
});

describe.each(['overflow', 'bytes'] as const)('a request that is too large: %s', (kind) => {
  const failure = { kind, message: 'too large', recoverable: true };

  it('is made smaller and sent again at most twice', async () => {
    const { agent, driver } = await openNarrow([...longTurn(1, 12), { failure }, { failure }, { failure }], {
      context: { windowTokens: 100_000 },
    });
    const session = await agent.create();
    await ask(session, 'Go');
    const events = record(session);
    expect(await ask(session, 'More')).toMatchObject({ type: 'failed', failure: { kind } });
    const tried = driver.requests.slice(13).map((request) => JSON.stringify(request).length);
    expect(tried).toHaveLength(3);
    expect(tried).toEqual(tried.toSorted((left, right) => right - left));
    expect(dataOf(events, 'llm:retry')).toMatchObject([
      { attempt: 2, reason: failure },
      { attempt: 3, reason: failure },
    ]);
    expect(dataOf(events, 'llm:error')).toHaveLength(1);
    expect(dataOf(events, 'run:end')).toHaveLength(1);
  });

  it('is not sent again where nothing of it can be left out', async () => {
    const { agent, driver } = await openAgent([{ failure }]);
    const session = await agent.create();
    const events = record(session);
    expect(await ask(session, 'Go')).toMatchObject({
      type: 'cannot-fit',
      parts: [{ name: 'task' }],
      canCompact: false,
      refusal: failure,
    });
    expect(driver.requests).toHaveLength(1);
    expect(dataOf(events, 'llm:error')).toEqual([]);
    expect(dataOf(events, 'compaction:error')).toMatchObject([
      { error: { code: 'cannot-fit', message: expect.stringContaining('the biggest parts are task') } },
    ]);
  });

  it('is no failure of the model where it goes through in the end, and no tool has run twice', async () => {
    const ran: number[] = [];
    const counting = { ...long, prepare: long.prepare.bind(long) };
    const script = longTurn(1, 12).slice(0, -1);
    const { agent, store } = await openNarrow([...script, { failure }, { failure }, { text: 'Twelve.' }], {
      tools: [
        {
          ...counting,
          prepare: (input) => {
            const prepared = counting.prepare(input);
            if (prepared.type === 'bad-input') return prepared;
            const execute: typeof prepared.execute = (context) => {
              ran.push((input as { readonly number: number }).number);
              return prepared.execute(context);
            };
            return { ...prepared, execute };
          },
        },
      ],
      context: { windowTokens: 100_000 },
    });
    const session = await agent.create();
    const events = record(session);
    expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
    expect(ran).toEqual(ran.toSorted((left, right) => left - right));
    expect(new Set(ran).size).toBe(ran.length);
    expect((await storyOf(store, session)).at(-1)).toBe('assistant text:Twelve.');
    expect(dataOf(events, 'llm:error')).toEqual([]);
    expect(dataOf(events, 'context:overflow').length).toBeGreaterThan(0);
  });

  it('answers the calls of an answer that broke off before it tries again', async () => {
    const { agent, store, driver } = await openAgent(
      [{ text: 'I look.', calls: [call('a')], failure }, { text: 'Well.' }],
      { tools: [look] },
    );
    const session = await agent.create();
    expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
    expect(await storyOf(store, session)).toEqual([
      'user text:Go',
      'assistant text:I look. call:a',
      expect.stringMatching(/^tool result:a!.*nothing was done/),
      'assistant text:Well.',
    ]);
    expect(JSON.stringify(driver.requests[1]?.messages)).toMatch(/I look.*nothing was done/s);
  });
});

it('believes in the limit that an error names from then on', async () => {
  const failure = { kind: 'overflow', message: 'too large', recoverable: true, limitTokens: 9_000 } as const;
  const { agent, another } = await openNarrow([...longTurn(1, 12), { failure }, { text: 'ok' }], {
    context: { windowTokens: 100_000 },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  expect((await session.context()).limit).toBeGreaterThan(50_000);
  expect(await ask(session, 'More')).toEqual({ type: 'completed', finish: 'stop' });
  expect((await session.context()).limit).toBeLessThan(9_000);
  const { agent: next } = await another();
  expect((await (await next.open(session.id)).context()).limit).toBeLessThan(9_000);
});

it('forgets the limit that an error named after a day, also one that the store has kept', async () => {
  const failure = { kind: 'overflow', message: 'too large', recoverable: true, limitTokens: 9_000 } as const;
  for (const isRestarted of [false, true]) {
    const script = [...longTurn(1, 12), { failure }, { text: 'a' }, { text: 'b' }, { text: 'c' }];
    const first = await openNarrow(script, { context: { windowTokens: 100_000 } });
    const { id } = await first.agent.create();
    await ask(await first.agent.open(id), 'Begin');
    await ask(await first.agent.open(id), 'Go');
    await first.time.advance(23 * 3_600_000);
    await ask(await first.agent.open(id), 'Later');
    expect((await (await first.agent.open(id)).context()).windowTokens).toBe(9_000);
    await first.time.advance(3_600_000);
    const { agent } = isRestarted ? await first.another({ script: [{ text: 'c' }] }) : first;
    const session = await agent.open(id);
    await ask(session, 'The day after');
    expect((await session.context()).windowTokens).toBe(100_000);
  }
});

it('takes the limit of a rate for no limit of a request', async () => {
  const failure = { kind: 'rate', message: '30000 tokens a minute', limitTokens: 9_000 } as const;
  const { agent } = await openAgent([{ failure }], { context: { windowTokens: 100_000 } });
  const session = await agent.create();
  await ask(session, 'Go');
  expect((await session.context()).windowTokens).toBe(100_000);
});

it('believes in the window that a server names when it has cut a prompt', async () => {
  const driver = eventDriver([[...says('Hi'), ends({ wasCut: true, windowTokens: 4_096 })]]);
  const { agent } = await openAgent([], { driver, context: { windowTokens: 16_000 } });
  const session = await agent.create();
  expect((await session.context()).windowTokens).toBe(16_000);
  await ask(session, 'Go');
  expect((await session.context()).windowTokens).toBe(4_096);
});

it('believes in a limit, too, that the last try has named', async () => {
  const failure = { kind: 'overflow', message: 'too large', recoverable: true } as const;
  const { agent, another } = await openNarrow(
    [...longTurn(1, 12), { failure }, { failure }, { failure: { ...failure, limitTokens: 9_000 } }],
    { context: { windowTokens: 100_000 } },
  );
  const session = await agent.create();
  await ask(session, 'Begin');
  expect(await ask(session, 'Go')).toMatchObject({ type: 'failed', failure: { kind: 'overflow' } });
  const { agent: next } = await another();
  expect((await (await next.open(session.id)).context()).limit).toBeLessThan(9_000);
});

it('says that nothing fits, with the biggest parts, and goes on when it does', async () => {
  const { agent, driver, another, store } = await openAgent([], {
    instructions: 'Very long instructions. '.repeat(2_000),
    context: { windowTokens: 4_000 },
  });
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'Go')).toMatchObject({
    type: 'cannot-fit',
    parts: [{ name: expect.stringContaining('system') }, {}],
  });
  expect(driver.requests).toHaveLength(0);
  expect(dataOf(events, 'compaction:error')).toMatchObject([
    { error: { code: 'cannot-fit' }, canRetry: false, suggestNewSession: true },
  ]);
  expect(typesOf(events).at(-1)).toBe('run:end');
  expect(await storyOf(store, session)).toEqual(['user text:Go']);
  await agent[Symbol.asyncDispose]();
  const { agent: next } = await another({ script: [{ text: 'ok' }], context: { windowTokens: 100_000 } });
  const again = await next.open(session.id);
  expect(await again.resume()).toBeDefined();
  expect(await again.settled()).toEqual({ type: 'completed', finish: 'stop' });
});

it('tells tries that a driver makes by itself', async () => {
  const reason = { kind: 'rate', message: 'slowly', recoverable: true } as const;
  const driver = eventDriver([
    [{ type: 'retry', attempt: 2, delayMs: 2_000, nextAtMs: 5, reason }, ...says('ok'), ends()],
  ]);
  const { agent } = await openAgent([], { driver });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  expect(dataOf(events, 'llm:retry')).toEqual([{ attempt: 2, nextAt: 5, reason }]);
});

it('tells that the request was too large where the provider has found it so, whatever it measures', async () => {
  const failure = { kind: 'overflow', message: 'too large', recoverable: true } as const;
  const { agent } = await openNarrow([...longTurn(1, 6), { failure }, { text: 'ok' }], {
    context: { windowTokens: 40_000 },
  });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  expect(dataOf(events, 'context:overflow')).toEqual([]);
  expect(await ask(session, 'More')).toEqual({ type: 'completed', finish: 'stop' });
  expect(dataOf(events, 'context:overflow')).toHaveLength(1);
  expect(dataOf(events, 'context:overflow')[0]?.percentUsed).toBeLessThan(100);
});

it('offers to compact where it would help and nobody may do it by himself', async () => {
  const { agent } = await openNarrow(longTurn(1, 14), { context: { auto: false } });
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'Go')).toMatchObject({ type: 'cannot-fit' });
  expect(dataOf(events, 'compaction:error')).toMatchObject([{ canRetry: true, suggestNewSession: false }]);
});
