import { call, dataOf, look, openAgent, record, storyOf } from './agent-bench.ts';
import { defineTool } from '../../src/index.ts';
import { ends, eventDriver, says } from './event-driver.ts';
import { expect, it } from 'vitest';
import { until } from './virtual-time.ts';
import { z } from 'zod';

/** A tool that ends when it is told to. */
function openGate() {
  const gate = Promise.withResolvers<string>();
  let started = 0;
  const tool = defineTool({
    name: 'wait',
    description: 'Waits',
    input: z.object({}),
    approval: 'allow',
    execute: () => {
      started += 1;
      return gate.promise;
    },
  });
  return { tool, open: (): void => gate.resolve('opened'), isStarted: (): boolean => started > 0 };
}

it('leaves a run at the end of its step, and the next process goes on with that run', async () => {
  const gate = openGate();
  const { agent, another, store } = await openAgent([{ calls: [call('a', 'wait', {})] }], {
    tools: [gate.tool, look],
  });
  const session = await agent.create();
  const { runId } = (await session.send('Go')) as { readonly runId: string };
  await until(gate.isStarted);
  const stopped = agent.stop({ graceMs: 1_000_000 });
  gate.open();
  expect(await stopped).toEqual([session.id]);
  expect(await session.settled()).toEqual({ type: 'lost' });
  expect(await store.journal.runs(session.id)).toMatchObject([{ id: runId, endedAtMs: null }]);
  expect(await store.journal.unfinished()).toMatchObject([{ hasOpenRun: true, leasedUntilMs: null }]);

  const { agent: next } = await another({ script: [{ text: 'Done' }] });
  const [again] = await next.recover();
  expect(await again?.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant call:a',
    'tool result:a=opened',
    'assistant text:Done',
  ]);
  expect((await store.journal.runs(session.id)).map(({ id }) => id)).toEqual([runId]);
});

it('ends a run that has no further step to do', async () => {
  const answering = Promise.withResolvers<void>();
  const driver = eventDriver([
    async function* () {
      yield* says('All of it');
      await answering.promise;
      yield ends();
    },
  ]);
  const { agent, store } = await openAgent([], { driver });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  const stopped = agent.stop({ graceMs: 1_000_000 });
  answering.resolve();
  expect(await stopped).toEqual([]);
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await store.journal.unfinished()).toEqual([]);
});

it('cuts a step off that outlasts the grace; what it had said is kept, and gone on with', async () => {
  const driver = eventDriver([
    async function* () {
      yield* says('The first half');
      await new Promise(() => {});
    },
  ]);
  const { agent, another, store, time } = await openAgent([], { driver });
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  const stopped = agent.stop({ graceMs: 5_000 });
  await time.advance(5_000);
  expect(await stopped).toEqual([session.id]);
  expect(dataOf(events, 'run:end')).toEqual([]);

  const { agent: next } = await another({ driver: eventDriver([[...says('and the second'), ends()]]) });
  const [again] = await next.recover();
  expect(await again?.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect(await storyOf(store, session)).toEqual([
    'user text:Go',
    'assistant text:The first half',
    'assistant text:and the second',
  ]);
});

it('keeps messages that come while it stops; the next process answers them', async () => {
  const { agent, another, store } = await openAgent([]);
  const session = await agent.create();
  expect(await agent.stop()).toEqual([]);
  expect(await session.send('Hello', { id: 'm1' })).toEqual({ isQueued: true, id: 'm1', position: 1 });
  expect(await (await agent.create()).send('Me too')).toMatchObject({ isQueued: true });
  expect(await session.compact()).toEqual({ type: 'busy' });

  const { agent: next } = await another({ script: [{ text: 'Hi' }, { text: 'Hi' }] });
  const recovered = await next.recover();
  await Promise.all(recovered.map((one) => one.settled()));
  expect(recovered).toHaveLength(2);
  expect(await storyOf(store, session)).toEqual(['user text:Hello', 'assistant text:Hi']);
});

it('leaves questions to the user as they are: the answer counts in the next process', async () => {
  const tool = defineTool({
    name: 'press',
    description: 'Presses',
    input: z.object({}),
    approval: 'ask',
    execute: () => 'pressed',
  });
  const attended = { tools: [tool], approvals: { isAttended: () => true } };
  const { agent, another, store } = await openAgent([{ calls: [call('a', 'press', {})] }], attended);
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => dataOf(events, 'approval:requested').length === 1);
  // Nobody lets the time pass: it is not waited for an answer that may take days.
  expect(await agent.stop({ graceMs: 1_000_000 })).toEqual([session.id]);
  expect(dataOf(events, 'approval:resolved')).toEqual([]);

  const { agent: next } = await another({ ...attended, script: [{ text: 'Done' }] });
  const again = await next.open(session.id);
  const [request] = await again.approvals.pending();
  expect(request).toMatchObject({ callId: 'a' });
  await next.recover();
  await again.approvals.answer(request?.id ?? '', { type: 'allow', scope: 'once' });
  expect(await again.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session))[2]).toBe('tool result:a=pressed');
});

it('counts the sessions that are busy', async () => {
  const gate = openGate();
  const { agent } = await openAgent([{ calls: [call('a', 'wait', {})] }, { text: 'ok' }], {
    tools: [gate.tool],
  });
  expect(agent.busyCount).toBe(0);
  const session = await agent.create();
  await session.send('Go');
  expect(agent.busyCount).toBe(1);
  gate.open();
  await session.settled();
  expect(agent.busyCount).toBe(0);
});
