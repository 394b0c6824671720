import { ask, call, dataOf, look, messagesOf, openAgent, record, storyOf } from './agent-bench.ts';
import { createStrategy } from '@throughline/core';
import { defineTool } from '../../src/index.ts';
import { expect, it } from 'vitest';
import { longTurn, openNarrow } from './long-bench.ts';
import { until } from './virtual-time.ts';
import { z } from 'zod';
import type { AgentSession } from '../../src/index.ts';

async function idOf(session: AgentSession, ordinal: number): Promise<string> {
  const { items } = await session.history({ limit: 1_000 });
  return items[ordinal]?.message.id ?? '';
}

it('forks a session at a message, and the two go their own way', async () => {
  const { agent, store, driver } = await openAgent(
    [{ calls: [call('a')] }, { text: 'One' }, { text: 'Two' }, { text: 'Three' }],
    { tools: [look] },
  );
  const session = await agent.create({ title: 'The first', owner: 'ada' });
  await ask(session, 'Go');
  await ask(session, 'And?');
  // The answer with a call comes with its result.
  const fork = await session.fork({ at: await idOf(session, 1), sessionId: 'f', title: 'Another' });
  expect(fork.id).toBe('f');
  expect(await storyOf(store, fork)).toEqual(['user text:Go', 'assistant call:a', 'tool result:a=seen x']);
  expect(await fork.info()).toMatchObject({
    title: 'Another',
    owner: 'ada',
    parentSessionId: session.id,
    forkedAt: 3,
    family: session.id,
  });
  await ask(fork, 'Elsewhere');
  expect((await storyOf(store, fork)).slice(3)).toEqual(['user text:Elsewhere', 'assistant text:Three']);
  expect(await storyOf(store, session)).toHaveLength(6);
  expect(driver.requests.at(-1)?.messages).toHaveLength(4);
  expect((await store.sessions.list({ owner: 'ada', isNewestOfFamily: true })).items).toHaveLength(1);
  expect(await storyOf(store, await session.fork({ at: 0 }))).toEqual(['user text:Go']);
  await expect(session.fork({ at: 'nothing' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(session.fork({ sessionId: 'f' })).rejects.toMatchObject({ code: 'already-exists' });
});

it('takes all results of an answer along, however many, at whichever of its messages it is forked', async () => {
  const calls = Array.from({ length: 101 }, (_, index) => call(`c${index}`));
  const { agent, store } = await openAgent([{ calls }, { text: 'Done' }], { tools: [look] });
  const session = await agent.create();
  await ask(session, 'Go');
  const story = await storyOf(store, session);
  expect(story).toHaveLength(104);
  for (const ordinal of [1, 2, 52, 101]) {
    const fork = await session.fork({ at: await idOf(session, ordinal) });
    expect(await storyOf(store, fork), `forked at ${ordinal}`).toEqual(story.slice(0, 103));
  }
  expect(await storyOf(store, await session.fork({ at: await idOf(session, 103) }))).toEqual(story);
  expect(await storyOf(store, await session.fork({ at: 0 }))).toEqual(story.slice(0, 1));
});

it('takes along the pins of its own messages, and of what there is to do only what is true at its end', async () => {
  const plan = defineTool({
    name: 'plan',
    description: 'Plans',
    input: z.object({}),
    approval: 'allow',
    execute: async (_, { session }) => {
      await session.todos?.save([{ content: 'Read on', status: 'pending' }]);
      return 'planned';
    },
  });
  const script = [{ calls: [call('a', 'plan', {})] }, { text: 'One' }, { text: 'Two' }, { text: 'Else' }];
  const { agent, store } = await openAgent(script, { tools: [plan] });
  const session = await agent.create();
  await ask(session, 'Go');
  await ask(session, 'And?');
  const last = (await session.info()).messageCount - 1;
  for (const pinned of [0, 2, 3, 4, last]) await session.pin(pinned);
  for (let at = 0; at <= last; at += 1) {
    const fork = await session.fork({ at });
    const { messageCount: end } = await fork.info();
    expect(await fork.pins(), `forked at ${at}`).toEqual([0, 2, 3, 4, last].filter((pin) => pin < end));
    expect(await store.value(fork.id, 'todos')).toEqual(
      at === last ? [{ content: 'Read on', status: 'pending' }] : null,
    );
  }
  const whole = await session.fork();
  expect(await store.value(whole.id, 'todos')).toEqual([{ content: 'Read on', status: 'pending' }]);
  const { session: branch } = await session.branch(4, 'Or else?');
  expect(await branch.pins()).toEqual([0, 2, 3]);
  expect(await store.value(branch.id, 'todos')).toBeNull();
});

it('sends the same request from a fork at the end as the session itself would, under its compactions', async () => {
  const { agent, another, store } = await openNarrow(longTurn(1, 14));
  const session = await agent.create();
  await ask(session, 'Read all of it, task-4711.');
  expect((await session.checkpoints()).length).toBeGreaterThan(0);
  const fork = await session.fork();
  expect(await fork.request()).toEqual(await session.request());
  expect(await messagesOf(store, fork)).toEqual(await messagesOf(store, session));
  expect(await fork.checkpoints()).toEqual(await session.checkpoints());
  const { agent: next } = await another();
  expect(await (await next.open(fork.id)).request()).toEqual(await session.request());
});

it('sent, at any message, what the session sent when it had come so far', async () => {
  const { agent, driver } = await openNarrow(longTurn(1, 14));
  const session = await agent.create();
  await ask(session, 'Read all of it.');
  const { items } = await session.history({ limit: 100 });
  let compacted = 0;
  for (const [index, { messages }] of driver.requests.entries()) {
    // Request n was sent behind the message of the user and n answers with their results.
    const last = items[index * 2];
    const fork = await session.fork({ at: last?.message.id ?? '' });
    const request = await fork.request();
    // A compaction before the step was made at this very length: it comes along.
    expect(request.messages).toEqual(messages);
    compacted += (await fork.checkpoints()).length > 0 ? 1 : 0;
  }
  expect(compacted).toBeGreaterThan(3);
});

it('sends an edited message as a branch, and keeps the one that it stands for', async () => {
  const { agent, store } = await openAgent([{ text: 'One' }, { text: 'Two' }, { text: 'Other' }]);
  const session = await agent.create();
  await session.send('Go', { id: 'first' });
  await session.settled();
  await session.send('Left', { id: 'second' });
  await session.settled();
  const { session: branch, sent } = await session.branch('second', 'Right', { id: 'again' });
  expect(sent).toMatchObject({ isQueued: false, id: 'again' });
  await branch.settled();
  expect(await storyOf(store, branch)).toEqual([
    'user text:Go',
    'assistant text:One',
    'user text:Right',
    'assistant text:Other',
  ]);
  expect((await storyOf(store, session)).slice(2)).toEqual(['user text:Left', 'assistant text:Two']);
  expect(await branch.info()).toMatchObject({ parentSessionId: session.id, forkedAt: 2 });
  const count = async (): Promise<number> => (await store.sessions.list()).items.length;
  await expect(session.branch('second', ' ')).rejects.toMatchObject({ details: { option: 'content' } });
  await expect(session.branch(await idOf(session, 1), 'x')).rejects.toMatchObject({
    details: { option: 'message' },
  });
  expect(await count()).toBe(2);
});

it('runs no call of the other session in a fork that was made while it ran', async () => {
  const go = Promise.withResolvers<string>();
  let runs = 0;
  const slow = defineTool({
    name: 'look',
    description: 'Looks',
    input: z.object({ at: z.string() }),
    execute: () => ((runs += 1), go.promise),
  });
  const { agent, store } = await openAgent(
    [{ calls: [call('a')] }, { text: 'In the fork' }, { text: 'Done' }],
    {
      tools: [slow],
      approvals: { rules: { look: 'allow' } },
    },
  );
  const session = await agent.create();
  const events = record(session);
  await session.send('Go');
  await until(() => runs === 1);
  const fork = await session.fork();
  await ask(fork, 'And here?');
  expect(runs).toBe(1);
  const story = await storyOf(store, fork);
  expect(story[2]).toContain('result:a!The session was copied');
  expect(story.slice(3)).toEqual(['user text:And here?', 'assistant text:In the fork']);
  go.resolve('seen');
  expect(await session.settled()).toEqual({ type: 'completed', finish: 'stop' });
  expect((await storyOf(store, session)).slice(2)).toEqual(['tool result:a=seen', 'assistant text:Done']);
  expect(dataOf(events, 'run:end')).toHaveLength(1);
});

it('puts a compaction that was taken back in force again, in the order in which they were made', async () => {
  const { agent, another } = await openNarrow(longTurn(1, 6), { context: { windowTokens: 40_000 } });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  expect(await session.redo()).toEqual({ type: 'nothing-to-redo' });
  await session.compact();
  const after = await session.request();
  await session.undo();
  const [first] = (await session.checkpointTree()).checkpoints;
  expect(first).toMatchObject({ isInForce: false, canRedo: true, canUndo: false });
  const id = first?.checkpoint.id ?? '';
  await expect(session.redo('another')).rejects.toMatchObject({ code: 'not-found' });
  expect(await session.redo()).toMatchObject({ type: 'redone', checkpointId: id });
  expect(await session.request()).toEqual(after);
  expect(await (await (await another()).agent.open(session.id)).request()).toEqual(after);
  expect(await session.checkpointTree()).toMatchObject({
    head: id,
    checkpoints: [{ isInForce: true, canUndo: true, canRedo: false }],
  });
  expect(dataOf(events, 'compaction:redone')).toMatchObject([{ checkpointId: id }]);
  expect(await session.redo()).toEqual({ type: 'nothing-to-redo' });
});

it.each([
  ['in the window that it was made for', 8_000, false],
  ['in one that is larger', 100_000, true],
])('says of the newest compaction %s whether an undo takes it back', async (_, windowTokens, canUndo) => {
  const { agent, another } = await openNarrow(longTurn(1, 8));
  const session = await agent.create();
  await ask(session, 'Go');
  const later = (await another({ context: { windowTokens } })).agent;
  await using there = await later.open(session.id);
  const { checkpoints, head } = await there.checkpointTree();
  expect(checkpoints.filter((one) => one.canUndo).map(({ checkpoint: { id } }) => id)).toEqual(
    canUndo ? [head] : [],
  );
  expect(await there.undo()).toMatchObject({ type: canUndo ? 'undone' : 'refused' });
});

it('compares the views of any two compactions, also of those that were taken back', async () => {
  const { agent } = await openNarrow([...longTurn(1, 14)], { context: { windowTokens: 8_000 } });
  const session = await agent.create();
  await ask(session, 'Go');
  const { checkpoints } = await session.checkpointTree();
  expect(checkpoints.length).toBeGreaterThan(1);
  const ids = checkpoints.map(({ checkpoint }) => checkpoint.id);
  const now = (await session.compare())?.now;
  const all = await session.compare({ before: null, now: ids.at(-1) ?? null });
  expect(all?.now).toEqual(now);
  expect(all?.before).toHaveLength(30);
  expect(all?.before.every(({ ordinal }, index) => ordinal === index)).toBe(true);
  const same = await session.compare({ before: ids[0] ?? '', now: ids[0] ?? '' });
  expect(same?.before).toEqual(same?.now);
  await expect(session.compare({ before: 'nothing' })).rejects.toMatchObject({ code: 'not-found' });
});

it('says what each strategy would come to, and stores and asks nothing', async () => {
  const { agent, driver, store } = await openNarrow(longTurn(1, 8), { context: { windowTokens: 60_000 } });
  const session = await agent.create();
  expect((await session.whatIf([createStrategy('digest')]))[0]?.outcome.type).toBe('nothing-to-do');
  await ask(session, 'Go');
  const { requests } = driver;
  const asked = requests.length;
  const lastEvent = (await session.info()).lastEventSeq;
  const results = await session.whatIf([
    createStrategy('reactive-overflow'),
    createStrategy('threshold-tail'),
    createStrategy('pruning-agent'),
  ]);
  expect(results.map(({ strategy }) => strategy)).toEqual([
    'reactive-overflow',
    'threshold-tail',
    'pruning-agent',
  ]);
  for (const { outcome, messagesShown } of results) {
    expect(messagesShown).toBeGreaterThan(0);
    if (outcome.type !== 'compacted') continue;
    expect(outcome.tokensAfter).toBeLessThan(outcome.tokensBefore);
  }
  expect(results[0]?.outcome.type).toBe('compacted');
  const preview = await session.preview();
  expect(results[0]?.outcome).toEqual(preview);
  expect(requests).toHaveLength(asked);
  expect((await session.info()).lastEventSeq).toBe(lastEvent);
  expect(await store.history.checkpoints(session.id)).toEqual([]);
});
