import { ask, dataOf, openAgent, record, storyOf } from './agent-bench.ts';
import { anthropicCodec } from '@throughline/core';
import { expect, it } from 'vitest';
import { scriptedModelDriver } from '@throughline/testkit';
import { diskFull, mortalStore } from './mortal-store.ts';
import { ends, eventDriver, says } from './event-driver.ts';
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
