import { ask, call, dataOf, look, openAgent, record, storyOf } from './agent-bench.ts';
import { diskFull, mortalStore } from './mortal-store.ts';
import { expect, it } from 'vitest';
import { rest, until } from './virtual-time.ts';

it('lets one process run a session, and gives the other one’s message to that run', async () => {
  const first = await openAgent([{ calls: [call('a')] }, { hangs: true, text: 'Half' }, { text: 'ok' }], {
    tools: [look],
    in: 'file',
  });
  const session = await first.agent.create();
  await session.send('Go');
  await until(() => first.driver.requests.length === 2);
  const second = await first.another();
  const there = await second.agent.open(session.id);
  expect(await there.send('From the other side')).toMatchObject({ isQueued: true, position: 1 });
  expect(await there.compact()).toEqual({ type: 'busy' });
  expect(await there.resume()).toBeUndefined();
  expect(second.driver.requests).toHaveLength(0);
  await session.cancel();
  await session.resume();
  await session.settled();
  expect((await storyOf(first.store, session)).slice(-2)).toEqual([
    'user text:From the other side',
    'assistant text:ok',
  ]);
});

it.each(['memory', 'file'] as const)(
  'tells of a message that waits for the run of another process, and of none that begins one (%s)',
  async (where) => {
    const first = await openAgent([{ hangs: true, text: 'Half' }], { in: where });
    const session = await first.agent.create();
    const second = await first.another({ script: [{ text: 'ok' }] });
    const there = await second.agent.open(session.id);
    const events = record(there);
    await session.send('Go');
    await until(() => first.driver.requests.length === 1);
    await there.send('One', { id: 'one' });
    await there.send('Two', { id: 'two' });
    expect(dataOf(events, 'message:queued')).toEqual([
      { id: 'one', position: 1 },
      { id: 'two', position: 2 },
    ]);
    await session.cancel();
    expect(await there.send('Three', { id: 'three' })).toMatchObject({ isQueued: false });
    await there.settled();
    expect(dataOf(events, 'message:queued')).toHaveLength(2);
    expect(dataOf(events, 'message:dequeued')).toMatchObject([{ ids: ['one', 'two', 'three'] }]);
  },
);

it('goes on in one process with what was said in the other', async () => {
  const first = await openAgent([{ text: 'One' }, { text: 'Three' }], { in: 'file' });
  const session = await first.agent.create();
  await ask(session, 'a');
  const second = await first.another({ script: [{ text: 'Two' }] });
  await ask(await second.agent.open(session.id), 'b');
  await ask(session, 'c');
  expect(JSON.stringify(first.driver.requests[1]?.messages)).toMatch(/a.*One.*b.*Two.*c/s);
});

it('takes a message of the other process that comes in the very moment in which the run ends', async () => {
  for (let turns = 0; turns < 60; turns += 2) {
    const first = await openAgent([{ text: 'One' }, { text: 'Two' }], {
      in: turns % 4 === 0 ? 'memory' : 'file',
    });
    const session = await first.agent.create();
    const second = await first.another({ script: [{ text: 'Two' }] });
    const there = await second.agent.open(session.id);
    const answered = Promise.withResolvers<void>();
    session.subscribe(({ type }) => void (type === 'llm:response' && answered.resolve()));
    await session.send('Go');
    await answered.promise;
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await there.send('And?');
    await rest();
    await Promise.all([session.settled(), there.settled()]);
    await rest();
    expect(await storyOf(first.store, session), `${turns}`).toEqual([
      'user text:Go',
      'assistant text:One',
      'user text:And?',
      'assistant text:Two',
    ]);
  }
});

it('loses the session to a process that takes it over, and stores nothing any more', async () => {
  const mortal = mortalStore();
  const first = await openAgent([{ text: 'Half', hangs: true }], { in: 'file', wrapStore: mortal.wrap });
  const session = await first.agent.create();
  await session.send('Go');
  await until(() => first.driver.requests.length === 1);
  await rest();
  // Asleep for longer than its lease is good: a laptop that was closed.
  const second = await first.another({ script: [{ text: 'Whole' }], wrapStore: (store) => store });
  mortal.failWith(diskFull());
  await first.time.advance(4_000);
  mortal.failWith(undefined);
  const lease = await second.store.leases.acquire(session.id, 'thief', 1_000);
  expect(lease).toBeUndefined();
  mortal.failWith(diskFull());
  await first.time.advance(20_000);
  expect(await session.settled()).toMatchObject({ type: expect.stringMatching(/lost|broken/) });
  const [there] = await second.agent.recover();
  expect(await there?.settled()).toEqual({ type: 'completed', finish: 'stop' });
  mortal.failWith(undefined);
  expect((await storyOf(second.store, session)).at(-1)).toBe('assistant text:Whole');
  const runs = await second.store.journal.runs(session.id);
  expect(runs.map(({ outcome }) => outcome)).toEqual([{ type: 'completed', finish: 'stop' }]);
});

it('shows one process the events of the other, in order', async () => {
  const first = await openAgent([{ text: 'One' }], { in: 'file' });
  const session = await first.agent.create();
  const second = await first.another({ script: [{ text: 'Two' }] });
  const there = await second.agent.open(session.id);
  const controller = new AbortController();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { seq } of session.events({ signal: controller.signal })) seen.push(seq);
  })();
  await ask(there, 'From there');
  await ask(session, 'From here');
  await rest();
  controller.abort();
  await reading;
  const stored = await first.store.journal.after(session.id, 0, 10_000);
  expect(seen.filter((seq) => stored.some((event) => event.seq === seq))).toEqual(
    stored.map(({ seq }) => seq),
  );
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});

it('goes on once with a run whose process has died, when two recover it', async () => {
  const mortal = mortalStore();
  const first = await openAgent([{ text: 'Half', hangs: true }], { in: 'file', wrapStore: mortal.wrap });
  const session = await first.agent.create();
  await session.send('Go');
  await until(() => first.driver.requests.length === 1);
  await rest();
  mortal.failWith(diskFull());
  await first.time.advance(40_000);
  await session.settled();
  const gate = Promise.withResolvers<void>();
  const second = await first.another({ script: [{ text: 'Whole' }], wrapStore: (store) => store });
  const third = await first.another({
    script: [],
    wrapStore: (store) => {
      const acquire: typeof store.leases.acquire = async (...args) => {
        await gate.promise;
        return await store.leases.acquire(...args);
      };
      return { ...store, leases: { ...store.leases, acquire } };
    },
  });
  const late = await third.agent.open(session.id);
  const resuming = late.resume();
  const [there] = await second.agent.recover();
  expect(await there?.settled()).toEqual({ type: 'completed', finish: 'stop' });
  gate.resolve();
  expect(await resuming).toBeUndefined();
  expect(await late.settled()).toBeNull();
  expect(await second.store.journal.runs(session.id)).toHaveLength(1);
});
