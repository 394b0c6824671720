import { ask, call, look, openAgent } from './agent-bench.ts';
import { aiSdkCodec, anthropicCodec, openaiChatCodec } from '@throughline/core';
import { expect, it } from 'vitest';
import { longTurn, openNarrow } from './long-bench.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { traceOf } from '../../src/index.ts';
import { until } from './virtual-time.ts';
import type { AgentSession, TraceRun } from '../../src/index.ts';

async function stepsOf(session: AgentSession): Promise<TraceRun['steps']> {
  return (await session.trace({ limit: 1_000 })).runs.flatMap(({ steps }) => steps);
}

it.each([openaiChatCodec, anthropicCodec, aiSdkCodec])(
  'makes the request of every step anew, to the byte, across compactions and undos, as $name',
  async (codec) => {
    const script = [...longTurn(1, 14), ...longTurn(15, 8)];
    const { agent, driver, another } = await openNarrow(script, { codec, instructions: 'Be brief.' });
    const session = await agent.create();
    await ask(session, 'Read all of it.');
    await session.undo();
    await session.compact();
    await ask(session, 'And more.');
    const steps = await stepsOf(session);
    expect(steps).toHaveLength(driver.requests.length);
    const next = await (await another({ script: [] })).agent.open(session.id);
    let heads = new Set<unknown>();
    for (const [index, { seq }] of steps.entries()) {
      const rebuilt = await next.stepRequest(seq);
      expect(rebuilt).toMatchObject({ isExact: true, differsIn: [], seq });
      const { signal: _, ...sent } = { signal: undefined, ...driver.requests[index] };
      expect(rebuilt.request).toEqual(sent);
      heads = heads.add(rebuilt.request?.messages.length);
    }
    expect((await session.checkpoints()).length).toBeGreaterThan(2);
  },
);

it('says of a request that it is not what was sent, where something is another thing now', async () => {
  const { agent, another, store } = await openAgent([{ text: 'One' }], { instructions: 'Be brief.' });
  const session = await agent.create();
  await ask(session, 'Go');
  const [step] = await stepsOf(session);
  const seq = step?.seq ?? 0;
  const changed = await (await another({ instructions: 'Be long.' })).agent.open(session.id);
  expect(await changed.stepRequest(seq)).toMatchObject({ isExact: false, differsIn: ['settings'] });
  const driver = { ...scriptedModelDriver([], anthropicCodec), model: 'other', name: 'test:other' };
  const switched = await (await another({ driver })).agent.open(session.id);
  expect(await switched.stepRequest(seq)).toMatchObject({ isExact: false, differsIn: ['model'] });
  const [old] = await store.journal.append(session.id, [
    { type: 'step:start', data: { step: 1, provider: 'p', model: 'm' } },
  ]);
  expect(await session.stepRequest(old?.seq ?? 0)).toMatchObject({
    request: null,
    isExact: false,
    differsIn: ['not-recorded'],
  });
  for (const none of [0, seq + 1, 9_999])
    await expect(session.stepRequest(none)).rejects.toMatchObject({ code: 'not-found' });
});

it('traces runs, steps, calls and what made room, page by page the same as in one', async () => {
  const failure = { kind: 'auth', message: 'no', recoverable: false } as const;
  const script = [...longTurn(1, 13), { calls: [call('x')] }, { text: 'ok' }, { failure }];
  const { agent, store } = await openNarrow(script);
  const session = await agent.create();
  await ask(session, 'Read all of it.');
  await session.undo();
  await session.compact();
  await ask(session, 'Look.');
  await ask(session, 'Again.');
  const { runs, next } = await session.trace({ limit: 1_000 });
  expect(next).toBeNull();
  const real = runs.filter(({ runId, startedAtMs }) => runId !== null && startedAtMs !== null);
  expect(real.map(({ outcome }) => outcome?.type)).toEqual(['completed', 'completed', 'failed']);
  const steps = runs.flatMap((run) => run.steps);
  expect(steps).toHaveLength(17);
  expect(steps[0]).toMatchObject({
    step: 1,
    finish: 'tool-calls',
    durationMs: expect.any(Number),
    calls: [{ callId: 'c1', toolName: 'long', success: true, messageId: expect.any(String) }],
  });
  // A tool that there is not.
  expect(steps[14]?.calls).toMatchObject([{ callId: 'x', success: false }]);
  expect(steps.at(-1)?.notes.map(({ type }) => type)).toContain('llm:error');
  const notes = runs.flatMap((run) => [...run.notes, ...run.steps.flatMap((step) => step.notes)]);
  expect(notes.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['context:compressed', 'compaction:undone', 'message:dequeued']),
  );

  const paged: TraceRun[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page = await session.trace({ limit: 4, after });
    expect(page.runs.flatMap((run) => run.steps).length).toBeLessThanOrEqual(4);
    paged.push(...page.runs);
    after = page.next;
  }
  expect(paged.flatMap((run) => run.steps)).toEqual(steps);
  expect(paged.map(({ outcome }) => outcome).filter((outcome) => outcome !== null)).toEqual(
    runs.map(({ outcome }) => outcome).filter((outcome) => outcome !== null),
  );
  const events = await store.journal.after(session.id, 0, 100_000);
  expect(traceOf(events, { limit: 1_000 }).runs).toEqual(runs);
});

it('traces a run that goes on, and one that was cut off', async () => {
  const { agent, driver } = await openAgent([{ calls: [call('a')] }, { text: 'Hm', hangs: true }], {
    tools: [look],
  });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 2);
  const [run] = (await session.trace()).runs;
  expect(run).toMatchObject({ outcome: null, durationMs: null });
  await session.cancel();
  const [ended] = (await session.trace()).runs;
  expect(ended?.outcome).toEqual({ type: 'cancelled' });
  expect(ended?.steps[0]).toMatchObject({
    finish: 'tool-calls',
    calls: [{ toolName: 'look', success: true }],
  });
});
