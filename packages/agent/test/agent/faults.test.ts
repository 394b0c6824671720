import { ask, call, dataOf, look, openAgent, record, storyOf, typesOf } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { diskFull, mortalStore } from './mortal-store.ts';
import { ends, eventDriver, says } from './event-driver.ts';
import { expect, it } from 'vitest';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';

it('goes on when a listener throws, and does not call that one again', async () => {
  const { agent } = await openAgent([{ text: 'ok' }]);
  const session = await agent.create();
  let told = 0;
  session.subscribe(() => {
    told += 1;
    throw new Error('a bug of somebody else');
  });
  const events = record(session);
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  expect(told).toBe(1);
  expect(typesOf(events).at(-1)).toBe('run:end');
});

it('ends as broken when the driver throws, and the session goes on afterwards', async () => {
  const driver = eventDriver([
    async function* () {
      yield* says('Half').slice(0, 2);
      throw new Error('a bug of the driver');
    },
    [...says('Whole'), ends()],
  ]);
  const { agent, store } = await openAgent([], { driver });
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'Go')).toMatchObject({ type: 'broken', message: 'a bug of the driver' });
  expect(dataOf(events, 'run:end')).toMatchObject([{ outcome: { type: 'broken' } }]);
  expect((await session.info()).status).toBe('idle');
  expect(await ask(session, 'Again')).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant text:Half',
    'user text:Again',
    'assistant text:Whole',
  ]);
  expect((await store.journal.runs(session.id)).every(({ endedAtMs }) => endedAtMs !== null)).toBe(true);
});

it('ends as broken when the driver ends without an end', async () => {
  const driver = eventDriver([says('Half'), [...says('Whole'), ends()]]);
  const { agent } = await openAgent([], { driver });
  const session = await agent.create();
  expect(await ask(session, 'Go')).toMatchObject({ type: 'broken' });
  await session.resume();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
});

it('ends as broken when the disk is full, stops its tools, and goes on when there is space again', async () => {
  const mortal = mortalStore();
  let isStopped = false;
  const patient = defineTool({
    name: 'patient',
    description: 'Waits',
    input: z.object({}),
    idempotent: true,
    reads: () => [],
    execute: (_, { signal, emit }) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      signal.addEventListener('abort', () => {
        isStopped = true;
        resolve('stopped');
      });
      setImmediate(() => emit('working'));
      if (isStopped) resolve('done');
      return promise;
    },
  });
  const { agent, store, driver, time } = await openAgent(
    [{ calls: [call('a', 'patient', {})] }, { text: 'ok' }],
    {
      tools: [patient],
      wrapStore: mortal.wrap,
    },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await rest();
  mortal.failWith(diskFull());
  await time.advance(1_000);
  await time.advance(10_000);
  expect(await session.settled()).toMatchObject({ type: 'broken', code: 'store-failed' });
  expect(isStopped).toBe(true);
  expect(session.isRunning).toBe(false);
  await expect(session.send('And?')).rejects.toMatchObject({ code: 'store-failed' });
  mortal.failWith(undefined);
  await time.advance(20_000);
  expect(await session.resume()).toBeDefined();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant call:a',
    'tool result:a=done',
    'assistant text:ok',
  ]);
  expect(dataOf(events, 'run:end')).toHaveLength(1);
  expect(await agent.recover()).toEqual([]);
});

it('is usable again when the store fails just when a run begins', async () => {
  const { agent, store, time } = await openAgent([{ text: 'ok' }], {
    wrapStore: (opened) => {
      let times = 0;
      const acquire: typeof opened.leases.acquire = (...args) =>
        (times += 1) === 1 ? Promise.reject(diskFull()) : opened.leases.acquire(...args);
      return { ...opened, leases: { ...opened.leases, acquire } };
    },
  });
  const session = await agent.create();
  const sent = await session.send('Go');
  expect(sent.id).toBeDefined();
  expect(await session.settled()).toMatchObject({ type: 'broken', code: 'store-failed' });
  await time.advance(1_000);
  expect(await session.resume()).toBeDefined();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, session)).toEqual(['user text:Go', 'assistant text:ok']);
});

it('is usable again when the store fails just when the user compacts', async () => {
  const mortal = mortalStore();
  const { agent } = await openAgent([{ text: 'ok' }, { text: 'ok' }], { wrapStore: mortal.wrap });
  const session = await agent.create();
  await ask(session, 'Go');
  mortal.failWith(diskFull());
  await expect(session.compact()).rejects.toMatchObject({ code: 'store-failed' });
  mortal.failWith(undefined);
  expect(session.isRunning).toBe(false);
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await ask(session, 'More')).toEqual({ type: 'completed', finish: 'stop' });
});

it('ends every run that it began, also one that nobody went on with', async () => {
  const mortal = mortalStore();
  const { agent, store, driver, time } = await openAgent([{ hangs: true }, { text: 'ok' }], {
    wrapStore: mortal.wrap,
  });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  mortal.failWith(diskFull());
  await time.advance(20_000);
  await session.settled();
  mortal.failWith(undefined);
  await ask(session, 'A new message');
  expect((await store.journal.runs(session.id)).map(({ endedAtMs }) => endedAtMs === null)).toEqual([
    false,
    false,
  ]);
  expect(await agent.recover()).toEqual([]);
});

it('cancels the run of a session that is disposed of, and starts none any more', async () => {
  const { agent, store, driver } = await openAgent([{ text: 'Half', hangs: true }, { text: 'ok' }], {
    tools: [look],
  });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await session[Symbol.asyncDispose]();
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  const again = await agent.open(session.id);
  expect(again).not.toBe(session);
  await again.resume();
  expect(await again.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, again)).toEqual(['user text:Go', 'assistant text:Half', 'assistant text:ok']);
});

it('starts no run with what waits when it is disposed of at the end of a run', async () => {
  for (let turns = 0; turns < 30; turns += 1) {
    const { agent, driver } = await openAgent([{ text: 'One' }, { text: 'Two' }]);
    const session = await agent.create();
    const ended = Promise.withResolvers<void>();
    session.subscribe(({ type }) => void (type === 'llm:response' && ended.resolve()));
    await session.send('Go');
    await ended.promise;
    await session.send('More');
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await agent[Symbol.asyncDispose]();
    const asked = driver.requests.length;
    await rest();
    expect(session.isRunning).toBe(false);
    expect(driver.requests.length).toBe(asked);
  }
});

it('stays silent for ever for a stream that does not end, until it is cancelled', async () => {
  const driver = eventDriver([
    async function* () {
      yield* says('Half').slice(0, 2);
      await new Promise(() => {});
    },
  ]);
  const { agent, store } = await openAgent([], { driver });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await session.cancel();
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect(await storyOf(store, session)).toEqual(['user text:Go', 'assistant text:Half']);
});

it('leaves nothing behind that waits for time when a run is over', async () => {
  const { agent, time } = await openAgent([{ calls: [call('a')] }, { text: 'ok' }], {
    tools: [look],
    limits: { maxDurationMs: 60_000 },
  });
  const session = await agent.create();
  await ask(session, 'Go');
  // What was streamed last has its own short wait.
  await time.advance(50);
  expect(time.pending).toBe(0);
});
