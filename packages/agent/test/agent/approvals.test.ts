import { ask, call, dataOf, look, openAgent, record, storyOf } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { diskFull, mortalStore } from './mortal-store.ts';
import { expect, it } from 'vitest';
import { rest, until } from './virtual-time.ts';
import { z } from 'zod';
import type { AgentSession } from '../../src/index.ts';

let runs = 0;
const risky = defineTool({
  name: 'risky',
  description: 'Changes the world',
  input: z.object({}),
  approval: 'ask',
  execute: () => `run ${(runs += 1)}`,
});

const attended = { isAttended: () => true };

async function pendingOf(session: AgentSession) {
  for (let turn = 0; turn < 50; turn += 1) {
    await rest();
    const [request] = await session.approvals.pending();
    if (request) return request;
  }
  throw new Error('nothing was asked');
}

it('asks, waits, and runs the call that is allowed', async () => {
  runs = 0;
  const { agent, store } = await openAgent([{ calls: [call('a', 'risky', {})] }, { text: 'ok' }], {
    tools: [risky],
    approvals: attended,
  });
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  const request = await pendingOf(session);
  expect(request).toMatchObject({ toolName: 'risky', callId: 'a' });
  expect((await session.info()).status).toBe('waiting');
  expect(await session.approvals.answer(request.id, { type: 'allow', scope: 'once' })).toBe(true);
  expect(await session.approvals.answer(request.id, { type: 'deny' })).toBe(false);
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session))[2]).toBe('tool result:a=run 1');
  expect(dataOf(events, 'approval:requested')).toHaveLength(1);
  expect(dataOf(events, 'approval:resolved')).toMatchObject([{ answer: { type: 'allow' } }]);
  expect((await session.info()).status).toBe('idle');
  const { runs: traced } = await session.trace();
  expect(traced).toMatchObject([{ outcome: { type: 'completed' }, steps: [{}, { notes: [] }] }]);
  expect(traced[0]?.steps[0]?.notes.map(({ type }) => type)).toEqual([
    'approval:requested',
    'approval:resolved',
  ]);
});

it('tells the model why a call was denied', async () => {
  runs = 0;
  const { agent, store } = await openAgent([{ calls: [call('a', 'risky', {})] }, { text: 'ok' }], {
    tools: [risky],
    approvals: attended,
  });
  const session = await agent.create();
  await session.send('Go');
  const { id } = await pendingOf(session);
  await session.approvals.answer(id, { type: 'deny', reason: 'not today' });
  await session.settled();
  expect((await storyOf(store, session))[2]).toMatch(/^tool result:a!.*not today/);
  expect(runs).toBe(0);
});

it('denies calls that nobody is there to allow', async () => {
  runs = 0;
  const { agent, store } = await openAgent([{ calls: [call('a', 'risky', {})] }, { text: 'ok' }], {
    tools: [risky],
  });
  const session = await agent.create();
  expect(await ask(session, 'Go')).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session))[2]).toMatch(/^tool result:a!.*nobody is there/);
  expect(runs).toBe(0);
});

it('asks once for what is allowed for the session', async () => {
  runs = 0;
  const { agent } = await openAgent(
    [{ calls: [call('a', 'risky', {})] }, { calls: [call('b', 'risky', {})] }, { text: 'ok' }],
    {
      tools: [risky],
      approvals: attended,
    },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await session.approvals.answer((await pendingOf(session)).id, { type: 'allow', scope: 'session' });
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(dataOf(events, 'approval:requested')).toHaveLength(1);
  expect(runs).toBe(2);
});

it('denies what is pending when the run is cancelled', async () => {
  runs = 0;
  const { agent, store, driver } = await openAgent(
    [{ calls: [call('a', 'risky', {}), call('b', 'risky', {})] }, { text: 'ok' }],
    {
      tools: [risky],
      approvals: attended,
    },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await pendingOf(session);
  await session.cancel();
  expect(await session.settled()).toEqual({ type: 'cancelled' });
  expect(await session.approvals.pending()).toEqual([]);
  expect(dataOf(events, 'approval:resolved').map(({ answer }) => answer.type)).toEqual(['deny', 'deny']);
  expect((await storyOf(store, session)).slice(2)).toEqual([
    expect.stringMatching(/^tool result:a!/),
    expect.stringMatching(/^tool result:b!/),
  ]);
  await session.resume();
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(runs).toBe(0);
  expect(driver.requests).toHaveLength(2);
});

it.each([true, false])(
  'takes a pending question up again after a restart, answered meanwhile: %s',
  async (isAnsweredMeanwhile) => {
    runs = 0;
    const mortal = mortalStore();
    const first = await openAgent([{ calls: [call('a', 'risky', {})] }], {
      tools: [risky],
      approvals: attended,
      wrapStore: mortal.wrap,
      in: 'file',
    });
    const session = await first.agent.create();
    await session.send('Go');
    const request = await pendingOf(session);
    mortal.failWith(diskFull());
    await first.time.advance(20_000);
    await session.settled();
    const second = await first.another({ script: [{ text: 'ok' }], wrapStore: (store) => store });
    const again = await second.agent.open(session.id);
    expect(await again.approvals.pending()).toEqual([request]);
    if (isAnsweredMeanwhile) await again.approvals.answer(request.id, { type: 'allow', scope: 'once' });
    const events = record(again);
    expect((await second.agent.recover()).map(({ id }) => id)).toEqual([session.id]);
    if (!isAnsweredMeanwhile) {
      await until(() => dataOf(events, 'run:start').length === 1);
      await rest();
      expect(again.isRunning).toBe(true);
      expect((await again.info()).status).toBe('waiting');
      expect(await again.approvals.answer(request.id, { type: 'allow', scope: 'once' })).toBe(true);
    }
    expect(await again.settled()).toEqual({ type: 'completed', finish: 'stop' });
    expect(runs).toBe(1);
    expect((await storyOf(second.store, again)).slice(1)).toEqual([
      'assistant call:a',
      'tool result:a=run 1',
      'assistant text:ok',
    ]);
    expect(await second.agent.recover()).toEqual([]);
  },
);

it('runs a call that waits for an answer when the process dies, though one of its id ran before', async () => {
  runs = 0;
  const mortal = mortalStore();
  const script = [{ calls: [call('a', 'risky', {})] }, { calls: [call('a', 'risky', {})] }];
  const first = await openAgent(script, {
    tools: [risky],
    approvals: attended,
    wrapStore: mortal.wrap,
    in: 'file',
  });
  const session = await first.agent.create();
  const events = record(session);
  await session.send('Go');
  await session.approvals.answer((await pendingOf(session)).id, { type: 'allow', scope: 'once' });
  await until(() => dataOf(events, 'approval:requested').length === 2);
  mortal.failWith(diskFull());
  await first.time.advance(20_000);
  await session.settled();
  const second = await first.another({ script: [{ text: 'ok' }], wrapStore: (store) => store });
  const [again] = await second.agent.recover();
  if (!again) throw new Error('nothing was left');
  await again.approvals.answer((await pendingOf(again)).id, { type: 'allow', scope: 'once' });
  expect(await again.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(second.store, again)).filter((line) => line.startsWith('tool'))).toEqual([
    'tool result:a=run 1',
    'tool result:a=run 2',
  ]);
});

it('denies what a dead process has left pending when the run that goes on is cancelled and asks no more', async () => {
  runs = 0;
  const mortal = mortalStore();
  const first = await openAgent([{ calls: [call('a', 'risky', {})] }], {
    tools: [risky],
    approvals: attended,
    wrapStore: mortal.wrap,
    in: 'file',
  });
  const session = await first.agent.create();
  await session.send('Go');
  await pendingOf(session);
  mortal.failWith(diskFull());
  await first.time.advance(20_000);
  await session.settled();
  const second = await first.another({ wrapStore: (store) => store, tools: [] });
  const again = await second.agent.open(session.id);
  const events = record(again);
  again.subscribe(({ type }) => void (type === 'run:start' && again.cancel()));
  expect(await again.approvals.pending()).toHaveLength(1);
  await again.resume();
  expect(await again.settled()).toEqual({ type: 'cancelled' });
  expect(await again.approvals.pending()).toEqual([]);
  expect(await second.store.approvals.list(session.id)).toEqual([]);
  expect(dataOf(events, 'approval:resolved').map(({ answer }) => answer.type)).toEqual(['deny']);
  expect(runs).toBe(0);
});

it('keeps no question that has its answer, however many were asked', async () => {
  runs = 0;
  const { agent, store } = await openAgent(
    [{ calls: [call('a', 'risky', {})] }, { calls: [call('a', 'risky', {})] }, { text: 'ok' }],
    { tools: [risky], approvals: attended },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  const first = await pendingOf(session);
  await session.approvals.answer(first.id, { type: 'allow', scope: 'once' });
  await until(() => dataOf(events, 'approval:requested').length === 2);
  expect((await store.approvals.list(session.id)).map(({ id }) => id)).not.toContain(first.id);
  const second = await pendingOf(session);
  expect(second.id).not.toBe(first.id);
  await session.approvals.answer(second.id, { type: 'deny' });
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await store.approvals.list(session.id)).toEqual([]);
  expect(await store.value(session.id, 'used-approvals')).toBeNull();
  expect(dataOf(events, 'approval:resolved').map(({ answer }) => answer.type)).toEqual(['allow', 'deny']);
});

it('is answered by another process than the one that asks', async () => {
  runs = 0;
  const first = await openAgent([{ calls: [call('a', 'risky', {})] }, { text: 'ok' }], {
    tools: [risky],
    approvals: attended,
    in: 'file',
  });
  const session = await first.agent.create();
  await session.send('Go');
  const request = await pendingOf(session);
  const second = await first.another();
  const there = await second.agent.open(session.id);
  expect(await there.approvals.answer(request.id, { type: 'allow', scope: 'once' })).toBe(true);
  await first.time.advance(5_000);
  await until(() => !session.isRunning);
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(runs).toBe(1);
});

it('waits until the last of several questions is answered', async () => {
  const { agent } = await openAgent(
    [{ calls: [call('a', 'risky', {}), call('b', 'risky', {})] }, { text: 'ok', hangs: true }],
    { tools: [risky], approvals: attended },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => dataOf(events, 'approval:requested').length === 2);
  const statuses: string[] = [];
  for (const { id } of await session.approvals.pending()) {
    await session.approvals.answer(id, { type: 'allow', scope: 'once' });
    await rest();
    statuses.push((await session.info()).status);
  }
  expect(statuses).toEqual(['waiting', 'running']);
});

it('writes down which calls may have done something: none that was denied, and none that may run twice', async () => {
  const act = defineTool({ name: 'act', description: 'Acts', input: z.object({}), execute: () => 'done' });
  const { agent, store } = await openAgent(
    [{ calls: [call('asked', 'act', {}), call('free', 'free', {}), call('read')] }, { text: 'Well.' }],
    { tools: [act, { ...act, name: 'free', approval: 'allow' }, look] },
  );
  const session = await agent.create();
  await ask(session, 'Go');
  expect(await store.value(session.id, 'started-calls')).toMatchObject({ callIds: ['free'] });
});
