import { ask, call, dataOf, look, openAgent, record, storyOf, typesOf } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { expect, it } from 'vitest';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';
import type { AgentEvent, AgentSession } from '../../src/index.ts';

/** A tool that does something with the session before it ends. */
function meanwhile(act: () => Promise<unknown>): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'look',
    description: 'Looks',
    input: z.object({ at: z.string() }),
    reads: () => [],
    execute: async ({ at }) => {
      await act();
      return `seen ${at}`;
    },
  });
}

it('takes what is sent while a run is busy at the next step', async () => {
  const here = Promise.withResolvers<AgentSession>();
  const sent: unknown[] = [];
  const tool = meanwhile(async () => {
    const session = await here.promise;
    sent.push(await session.send('Faster', { id: 'm1' }), await session.send('Please', { id: 'm2' }));
  });
  const { agent, store, driver } = await openAgent([{ calls: [call('a')] }, { text: 'ok' }], {
    tools: [tool],
  });
  const session = await agent.create();
  here.resolve(session);
  const events = record(session);
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  expect(sent).toEqual([
    { isQueued: true, id: 'm1', position: 1 },
    { isQueued: true, id: 'm2', position: 2 },
  ]);
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant call:a',
    'tool result:a=seen x',
    'user text:First: Faster\n\nAlso: Please',
    'assistant text:ok',
  ]);
  expect(driver.requests[1]?.messages).toHaveLength(4);
  expect(dataOf(events, 'message:queued')).toEqual([
    { id: 'm1', position: 1 },
    { id: 'm2', position: 2 },
  ]);
  expect(dataOf(events, 'message:dequeued').map(({ count, coalesced }) => [count, coalesced])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(dataOf(events, 'run:start')).toHaveLength(1);
});

it('finds the session free where the end of a run is told: a message begins a run, a compaction is not busy', async () => {
  const { agent } = await openAgent([{ text: 'One' }, { text: 'Two' }]);
  const session = await agent.create();
  const told: unknown[] = [];
  let first: Promise<unknown> | undefined;
  let second: Promise<unknown> | undefined;
  using _ = session.subscribe((event) => {
    if (event.type !== 'run:end') return;
    told.push(session.isRunning);
    if (first) second ??= session.compact();
    else first = session.send('And?', { id: 'next' });
  });
  await ask(session, 'Go');
  expect(await first).toMatchObject({ isQueued: false, id: 'next' });
  await session.settled();
  expect(await second).toMatchObject({ type: 'nothing-to-do' });
  expect(told).toEqual([false, false]);
});

it('begins the next run by itself with what came too late for the last step', async () => {
  const { agent, store } = await openAgent([{ text: 'One' }, { text: 'Two' }]);
  const session = await agent.create();
  const events = record(session);
  // The last answer is stored, and the run is about to end.
  let late: Promise<unknown> | undefined;
  using _ = session.subscribe((event) => {
    if (event.type === 'step:end') late ??= session.send('And?', { id: 'late' });
  });
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  await late;
  await session.settled();
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant text:One',
    'user text:And?',
    'assistant text:Two',
  ]);
  expect(dataOf(events, 'run:end')).toHaveLength(2);
  expect(await session.queue.list()).toEqual([]);
});

it('takes a message that comes in the very moment in which the run ends', async () => {
  for (let turns = 0; turns < 40; turns += 1) {
    const { agent, store } = await openAgent([{ text: 'One' }, { text: 'Two' }]);
    const session = await agent.create();
    const ended = Promise.withResolvers<void>();
    session.subscribe(({ type }) => void (type === 'llm:response' && ended.resolve()));
    await session.send('Go');
    await ended.promise;
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await session.send('And?');
    await session.settled();
    expect(await storyOf(store, session), `${turns}`).toEqual([
      'user text:Go',
      'assistant text:One',
      'user text:And?',
      'assistant text:Two',
    ]);
  }
});

it.each(['cancelled', 'failed'])(
  'holds what waits after a run that was %s, and takes it with the next message',
  async (how) => {
    const failure = { kind: 'auth', message: 'no', recoverable: false } as const;
    let whenAsked = (): unknown => undefined;
    const fail = (): { readonly failure: typeof failure } => {
      whenAsked();
      return { failure };
    };
    const { agent, store, driver } = await openAgent([
      how === 'failed' ? fail : { text: 'Hm', hangs: true },
      { text: 'ok' },
    ]);
    const session = await agent.create();
    if (how === 'failed') {
      whenAsked = () => session.send('Second');
      await ask(session, 'First');
    } else {
      await session.send('First');
      await until(() => driver.requests.length === 1);
      await session.send('Second');
      await session.cancel();
    }
    await rest();
    expect(session.isRunning).toBe(false);
    if ((await session.queue.list()).length === 0) throw new Error('nothing is held');
    await ask(session, 'Third');
    expect((await storyOf(store, session)).slice(-2)).toEqual([
      'user text:First: Second\n\nAlso: Third',
      'assistant text:ok',
    ]);
  },
);

it('takes what is held with a resume', async () => {
  const { agent, store, driver } = await openAgent([{ hangs: true }, { text: 'ok' }]);
  const session = await agent.create();
  await session.send('First');
  await until(() => driver.requests.length === 1);
  await session.send('Second');
  await session.cancel();
  await session.resume();
  await session.settled();
  expect(await storyOf(store, session)).toEqual(['user text:First', 'user text:Second', 'assistant text:ok']);
});

it('holds what waits, too, when somebody looks at the session, compacts it or takes a compaction back', async () => {
  const { agent, store, driver } = await openAgent([{ text: 'Hm', hangs: true }]);
  const session = await agent.create();
  await session.send('First');
  await until(() => driver.requests.length === 1);
  await session.send('Second');
  await session.cancel();
  await session.compact();
  await session.undo();
  await session.context();
  await rest();
  expect(session.isRunning).toBe(false);
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect((await session.queue.list()).length).toBe(1);
  expect(await storyOf(store, session)).toEqual(['user text:First', 'assistant text:Hm']);
});

it('takes what is sent while the user compacts as soon as that is done', async () => {
  const { agent, store } = await openAgent([{ text: 'One' }, { text: 'Two' }]);
  const session = await agent.create();
  await ask(session, 'First');
  const compacting = session.compact();
  const sent = await session.send('Second');
  expect(sent.isQueued).toBe(true);
  await compacting;
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session)).slice(-2)).toEqual(['user text:Second', 'assistant text:Two']);
});

it('changes and removes messages that wait, and none that were taken', async () => {
  const here = Promise.withResolvers<AgentSession>();
  const done: unknown[] = [];
  const tool = meanwhile(async () => {
    const session = await here.promise;
    await session.send('a', { id: 'a' });
    await session.send('b', { id: 'b' });
    done.push(
      await session.queue.edit('a', 'A'),
      await session.queue.remove('b'),
      await session.queue.remove('first'),
    );
  });
  const { agent, store } = await openAgent([{ calls: [call('c')] }, { text: 'ok' }], { tools: [tool] });
  const session = await agent.create();
  here.resolve(session);
  const events: AgentEvent[] = [];
  session.subscribe((event) => events.push(event));
  await session.send('Go', { id: 'first' });
  await session.settled();
  expect(done).toEqual([true, true, false]);
  expect((await storyOf(store, session)).at(-2)).toBe('user text:A');
  expect(typesOf(events)).toEqual(expect.arrayContaining(['message:updated', 'message:removed']));
});

it('moves what waits, and refuses a place that is none', async () => {
  const { agent, driver } = await openAgent([{ text: 'Hm', hangs: true }]);
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  for (const id of ['a', 'b', 'c']) await session.send(id, { id });
  expect(await session.queue.move('c', 1)).toBe(true);
  expect((await session.queue.list()).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  expect(await session.queue.move('gone', 1)).toBe(false);
  await expect(session.queue.move('a', 0)).rejects.toMatchObject({ details: { option: 'position' } });
  expect(dataOf(events, 'message:moved')).toEqual([{ id: 'c', position: 1 }]);
  await session.cancel();
});

it('sends one of those that wait at once: the run is cut off, its text stays, and the others come after it', async () => {
  const { agent, store, driver } = await openAgent([
    { text: 'Partial', hangs: true },
    { text: 'Now.' },
    { text: 'Then.' },
  ]);
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  for (const id of ['a', 'b', 'c']) await session.send(id, { id });
  const sent = await session.queue.sendNow('b');
  expect(sent).toMatchObject({ isQueued: false, id: 'b' });
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant text:Partial',
    'user text:b',
    'assistant text:Now.',
    'user text:First: a\n\nAlso: c',
    'assistant text:Then.',
  ]);
  expect(dataOf(events, 'run:end').map(({ outcome }) => outcome.type)).toEqual([
    'cancelled',
    'completed',
    'completed',
  ]);
  expect(driver.requests).toHaveLength(3);
  expect(await session.queue.sendNow('b')).toBeUndefined();
});

it('sends one of those that are held at once, where nothing is busy', async () => {
  const { agent, store, driver } = await openAgent([{ hangs: true }, { text: 'ok' }, { text: 'ok' }]);
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  await session.send('a', { id: 'a' });
  await session.send('b', { id: 'b' });
  await session.cancel();
  await session.queue.sendNow('b');
  await session.settled();
  expect((await storyOf(store, session)).slice(1)).toEqual([
    'user text:b',
    'assistant text:ok',
    'user text:a',
    'assistant text:ok',
  ]);
});

it('makes it the next where another process is busy with the session', async () => {
  const { agent, another, driver } = await openAgent([{ text: 'Hm', hangs: true }], { in: 'file' });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  const other = await (await another()).agent.open(session.id);
  await other.send('a', { id: 'a' });
  await other.send('b', { id: 'b' });
  expect(await other.queue.sendNow('b')).toEqual({ isQueued: true, id: 'b', position: 1 });
  expect(session.isRunning).toBe(true);
  await session.cancel();
});

it('sends a message once, however often it is sent', async () => {
  const { agent, store, driver } = await openAgent([{ text: 'ok' }], { tools: [look] });
  const session = await agent.create();
  const sent = await Promise.all([session.send('Go', { id: 'm' }), session.send('Go', { id: 'm' })]);
  await session.settled();
  expect(sent.map(({ id }) => id)).toEqual(['m', 'm']);
  expect(await session.send('Go', { id: 'm' })).toMatchObject({ isQueued: false, id: 'm' });
  await session.settled();
  expect(await storyOf(store, session)).toEqual(['user text:Go', 'assistant text:ok']);
  expect(driver.requests).toHaveLength(1);
});

it('says how many wait, and removes them all at once', async () => {
  const { agent, driver } = await openAgent([{ text: 'One.', hangs: true }, { text: 'Two.' }]);
  const session = await agent.create();
  const events = record(session);
  await session.send('First');
  await until(() => driver.requests.length === 1);
  expect(await session.queue.clear()).toBe(0);
  await session.send('Second', { id: 'b' });
  await session.send('Third', { id: 'c' });
  expect(await session.queue.pendingCount()).toBe(2);
  expect(await session.queue.clear()).toBe(2);
  expect(await session.queue.pendingCount()).toBe(0);
  expect(dataOf(events, 'message:removed')).toEqual([{ id: 'b' }, { id: 'c' }]);
  await session.cancel();
  expect(await session.resume()).toBeDefined();
  await session.settled();
  expect(JSON.stringify(driver.requests)).not.toMatch(/Second|Third/);
});
