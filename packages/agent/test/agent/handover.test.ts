import { ask, call, dataOf, openAgent, record, storyOf } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { anthropicCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModelDriver } from '@throughline/testkit';
import { diskFull, mortalStore } from './mortal-store.ts';
import { calls, ends, eventDriver, says } from './event-driver.ts';
import type { Driver } from '@throughline/ports';
import { rest, until } from './virtual-time.ts';
import { longTurn, openNarrow } from './long-bench.ts';

it('forgets what was learned of the model of a former process', async () => {
  const failure = { kind: 'overflow', message: 'too large', recoverable: true, limitTokens: 9_000 } as const;
  const { agent, another, store } = await openAgent([{ failure }, { text: 'ok' }]);
  const session = await agent.create();
  await ask(session, 'Go');
  const other = {
    ...scriptedModelDriver([{ text: 'ok' }]),
    name: 'other:one',
    model: 'one',
    limits: { windowTokens: 200_000 },
  };
  const { agent: next } = await another({ driver: other });
  const again = await next.open(session.id);
  const events = record(again);
  expect(await ask(again, 'More')).toEqual({ type: 'completed', finish: 'stop' });
  expect((await again.context()).limit).toBeGreaterThan(100_000);
  expect((await again.info()).model).toBe('other:one');
  expect(dataOf(events, 'llm:switched')).toEqual([
    { newConfig: { provider: 'scripted', model: 'one' }, historyRetained: true },
  ]);
  expect((await storyOf(store, again)).at(-1)).toBe('assistant text:ok');
});

it('goes on without images where the model takes none', async () => {
  const failure = { kind: 'media', message: 'no images', recoverable: true, unsupported: 'images' } as const;
  const { agent, driver } = await openAgent([{ failure }, { text: 'A dot?' }], { codec: anthropicCodec });
  const session = await agent.create();
  const events = record(session);
  const data =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await session.send([
    { type: 'text', text: 'What is it?' },
    { type: 'image', data, mediaType: 'image/png' },
  ]);
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(JSON.stringify(driver.requests[0])).toContain(data);
  expect(JSON.stringify(driver.requests[1])).not.toContain(data);
  expect(dataOf(events, 'llm:unsupported-input')).toHaveLength(1);
});

it('goes on where the provider had paused when the process died', async () => {
  const mortal = mortalStore();
  const driver = eventDriver([
    [
      ...says('So far'),
      ends({
        finish: 'paused',
        finishReason: 'pause_turn',
        messages: [{ role: 'assistant', content: 'So far' }],
      }),
    ],
    async function* () {
      yield* says('').slice(0, 1);
      await new Promise(() => {});
    },
    [...says('Done'), ends()],
  ]);
  const { agent, another, time, store } = await openAgent([], {
    driver,
    wrapStore: mortal.wrap,
    codec: anthropicCodec,
  });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 2);
  await rest();
  mortal.failWith(diskFull());
  await time.advance(40_000);
  await session.settled();
  mortal.failWith(undefined);
  const { agent: next } = await another();
  const [again] = await next.recover();
  expect(await again?.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session)).slice(1)).toEqual(['assistant text:So far', 'assistant text:Done']);
});

it('ends in time when a summary is not written in time', async () => {
  let isAsked = false;
  const slow: Driver = {
    name: 'slow',
    complete: () => {
      isAsked = true;
      return new Promise(() => {});
    },
  };
  const { agent, time, driver } = await openNarrow(longTurn(1, 14), {
    context: { background: false },
    limits: { maxDurationMs: 5_000, graceMs: 1_000 },
    summariser: { type: 'model', windowTokens: 20_000, driver: slow },
  });
  const session = await agent.create();
  await session.send('Go');
  await until(() => isAsked);
  const asked = driver.requests.length;
  await time.advance(5_000);
  await time.advance(1_000);
  expect(await session.settled()).toEqual({ type: 'limit', limit: 'time', isConcluded: false });
  expect(driver.requests.length).toBe(asked);
});

it('stores what is sent to a session that was disposed of, and leaves it to the next', async () => {
  const { agent, driver } = await openAgent([{ text: 'ok' }]);
  const session = await agent.create();
  await session[Symbol.asyncDispose]();
  expect(await session.send('Go')).toMatchObject({ isQueued: true, position: 1 });
  await rest();
  expect(driver.requests).toHaveLength(0);
  const again = await agent.open(session.id);
  await again.resume();
  expect(await again.settled()).toEqual({ type: 'completed', finish: 'stop' });
});

describe('a process that dies', () => {
  const toolOf = (idempotent: boolean, execute: () => Promise<string>) =>
    defineTool({
      name: 'work',
      description: 'Works',
      input: z.object({}),
      approval: 'allow',
      idempotent,
      execute,
    });

  it.each([
    [true, /^tool result:a=done$/],
    [false, /^tool result:a!interrupted/],
  ])('inside a call leaves it to the next, which runs it again if it may: %s', async (idempotent, told) => {
    const mortal = mortalStore();
    const begun = Promise.withResolvers<void>();
    const hangs = toolOf(idempotent, () => (begun.resolve(), new Promise(() => {})));
    const first = await openAgent([{ calls: [call('a', 'work', {})] }], {
      tools: [hangs],
      wrapStore: mortal.wrap,
      in: 'file',
    });
    const session = await first.agent.create();
    await session.send('Go');
    await begun.promise;
    await rest();
    mortal.failWith(diskFull());
    await first.time.advance(40_000);
    await session.settled();
    const works = toolOf(idempotent, () => Promise.resolve('done'));
    const second = await first.another({
      script: [{ text: 'ok' }],
      tools: [works],
      wrapStore: (store) => store,
    });
    const [again] = await second.agent.recover();
    expect(await again?.settled()).toEqual({ type: 'completed', finish: 'stop' });
    expect((await storyOf(second.store, session))[2]).toMatch(told);
  });

  it('in the middle of an answer leaves its calls undone, and says so', async () => {
    let runs = 0;
    const work = toolOf(true, () => Promise.resolve(`run ${(runs += 1)}`));
    const mortal = mortalStore();
    const driver = eventDriver([
      async function* () {
        yield* says('I work.');
        yield calls('a', { name: 'work', input: {}, inputText: '{}' });
        await new Promise(() => {});
      },
    ]);
    const first = await openAgent([], { driver, tools: [work], wrapStore: mortal.wrap, in: 'file' });
    const session = await first.agent.create();
    await session.send('Go');
    await until(() => driver.requests.length === 1);
    await first.time.advance(100);
    mortal.failWith(diskFull());
    await first.time.advance(40_000);
    await session.settled();
    const next = eventDriver([[...says('ok'), ends()]]);
    const second = await first.another({ driver: next, wrapStore: (store) => store });
    const [again] = await second.agent.recover();
    expect(await again?.settled()).toEqual({ type: 'completed', finish: 'stop' });
    expect((await storyOf(second.store, session)).slice(1)).toEqual([
      'assistant text:I work. call:a',
      expect.stringMatching(/^tool result:a!.*nothing was done/),
      'assistant text:ok',
    ]);
    expect(runs).toBe(0);
  });
});
