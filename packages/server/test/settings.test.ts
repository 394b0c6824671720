import { afterAll, beforeAll, expect, it } from 'vitest';
import { askerOf } from './api-client.ts';
import { createStrategy } from '@throughline/core';
import { defineTool } from '@throughline/agent';
import { openServer } from './open-server.ts';
import { routes } from '@throughline/protocol';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';
import type { Ask } from './api-client.ts';
import type { OpenedServer } from './open-server.ts';

const bash = defineTool({
  name: 'bash',
  description: 'Runs a command.',
  input: z.object({}),
  execute: () => Promise.resolve('done'),
});

let opened: OpenedServer;
let ask: Ask;

beforeAll(async () => {
  opened = await openServer({
    agent: {
      tools: [bash],
      approvals: { rules: { bash: 'deny' }, isAttended: () => true },
      instructions: 'the-secret-instructions',
      limits: { maxSteps: 7 },
      context: {
        strategy: createStrategy('threshold-tail', { recentMessagesToKeep: 3 }),
        budget: { keepTurns: 4 },
      },
    },
  });
  ask = askerOf(opened.url);
});

afterAll(() => opened[Symbol.asyncDispose]());

it('settings are told with strategy, thresholds, approvals and limits, and nothing else', async () => {
  const { status, body, text } = await ask('GET', '/api/settings');
  expect(status).toBe(200);
  expect(routes.getSettings.answers[200].strict().safeParse(body).error?.issues ?? []).toEqual([]);
  expect(body).toMatchObject({
    model: 'demo:scripted',
    strategy: 'threshold-tail',
    budget: { keepTurns: 4 },
    tools: [{ name: 'bash', approval: 'deny' }],
    limits: { maxSteps: 7, maxDurationMs: null, graceMs: 60_000 },
    canChange: true,
  });
  expect(text).not.toContain('secret');
});

it('settings that are changed hold at once for all sessions, and the configured strategy comes back as it was', async () => {
  const changed = await ask('PATCH', '/api/settings', {
    body: { strategy: 'digest', auto: false, windowTokens: 9_000, budget: { target: 0.5 } },
  });
  expect(changed.body).toMatchObject({
    strategy: 'digest',
    auto: false,
    windowTokens: 9_000,
    budget: { target: 0.5, keepTurns: 4 },
  });
  expect(opened.services.agent.settings.get().strategy.name).toBe('digest');
  const { body } = await ask('POST', '/api/message?wait=true', { body: { content: 'help' } });
  const context = await ask('GET', `/api/sessions/${body.sessionId}/context`);
  expect(context.body.windowTokens).toBe(9_000);
  await ask('PATCH', '/api/settings', { body: { strategy: 'threshold-tail', auto: true } });
  const [compaction] = opened.services.agent.settings
    .get()
    .strategy.ladderSteps.filter((one) => one.type === 'compact');
  expect(compaction?.keep).toMatchObject({ messages: 3 });
});

it('settings say which are at their defaults, and come back to them with null, one by one or in parts', async () => {
  const body = {
    strategy: 'digest',
    summariser: 'code',
    windowTokens: 5_000,
    background: false,
    budget: { target: 0.4, keepTurns: 9 },
    limits: { maxSteps: 3, maxDurationMs: 60_000 },
    approvals: { bash: 'allow' },
  };
  await using own = await openServer({
    agent: { tools: [bash], limits: { maxSteps: 7 }, context: { budget: { keepTurns: 4 } } },
  });
  const asks = askerOf(own.url);
  const before = (await asks('GET', '/api/settings')).body;
  expect(before.changed).toEqual([]);
  const changed = (await asks('PATCH', '/api/settings', { body })).body;
  expect(changed).toMatchObject({
    limits: { maxSteps: 3, maxDurationMs: 60_000, graceMs: 60_000 },
    tools: [{ name: 'bash', approval: 'allow' }],
    budget: { target: 0.4, keepTurns: 9 },
  });
  expect(new Set(changed.changed)).toEqual(
    new Set(
      'strategy windowTokens background budget.target budget.keepTurns limits.maxSteps limits.maxDurationMs approvals.bash'.split(
        ' ',
      ),
    ),
  );
  const some = { budget: { target: null }, limits: { maxDurationMs: null }, windowTokens: null };
  expect((await asks('PATCH', '/api/settings', { body: some })).body).toMatchObject({
    windowTokens: null,
    budget: { keepTurns: 9 },
    limits: { maxSteps: 3, maxDurationMs: null },
  });
  const rest = Object.fromEntries(Object.keys(body).map((name) => [name, null]));
  expect((await asks('PATCH', '/api/settings', { body: rest })).body).toEqual(before);
});

it('limits hold for the next run, and approvals for the next call, of a session that is open', async () => {
  const run: unknown[] = [];
  const tool = defineTool({
    name: 'press',
    description: 'Presses a button.',
    input: z.object({}),
    approval: 'deny',
    execute: () => `pressed ${run.push(1)}`,
  });
  const call = { calls: [{ callId: 'c', name: 'press', input: {} }] };
  const driver = scriptedModelDriver([call, { text: 'One' }, call, { text: 'Two' }, call, { text: 'Cut' }]);
  await using own = await openServer({ driver, agent: { tools: [tool], limits: { graceMs: 0 } } });
  const asks = askerOf(own.url);
  const say = (sessionId?: string): ReturnType<Ask> =>
    asks('POST', '/api/message?wait=true', { body: { content: 'Go', ...(sessionId && { sessionId }) } });
  const { sessionId } = (await say()).body;
  expect(run).toHaveLength(0);
  await asks('PATCH', '/api/settings', { body: { approvals: { press: 'allow' } } });
  expect((await say(sessionId)).body.outcome).toMatchObject({ type: 'completed' });
  expect(run).toHaveLength(1);
  await asks('PATCH', '/api/settings', { body: { limits: { maxSteps: 1 } } });
  expect((await say(sessionId)).body.outcome).toMatchObject({ type: 'limit' });
});

it.each([
  [{ approvals: { bsh: 'ask' } }, '/approvals/bsh', 'known are bash'],
  [{ approvals: { bash: 'always' } }, '/approvals/bash', ''],
  [{ limits: { maxSteps: 0 } }, '/limits/maxSteps', ''],
  [{ limits: { steps: 3 } }, '/limits/steps', 'maxSteps'],
  [{ strategie: 'digest' }, '/strategie', 'known are strategy, summariser'],
  [{ budget: { targett: 0.5 } }, '/budget/targett', 'target'],
  [{ strategy: 'none-such' }, '/strategy', 'reactive-overflow'],
  [{ summariser: 'model' }, '/summariser', ''],
  [{ model: { name: 'a:b', apiKey: 'k' } }, '/model/apiKey', 'known are name, baseUrl, windowTokens'],
  [{ budget: { target: 2 } }, '/budget/target', ''],
])(
  'settings of another name or out of range are refused with what there is: %j',
  async (body, path, says) => {
    const before = (await ask('GET', '/api/settings')).body;
    const answer = await ask('PATCH', '/api/settings', { body });
    expect(answer.status).toBe(422);
    expect(answer.body.faults[0].path).toBe(path);
    expect(answer.body.faults[0].message).toContain(says);
    expect((await ask('GET', '/api/settings')).body).toEqual(before);
  },
);

it('settings are read by every owner, and changed only by the one without a name', async () => {
  const tokens = [
    { owner: 'ann', token: 'the-token-of-ann-0000' },
    { owner: '', token: 'the-token-of-nobody-2' },
  ];
  await using named = await openServer({ tokens });
  const [ann, nobody] = tokens.map(({ token }) => askerOf(named.url, token)) as [Ask, Ask];
  expect((await ann('GET', '/api/settings')).body).toMatchObject({ canChange: false, auto: true });
  const refused = await ann('PATCH', '/api/settings', { body: { auto: false } });
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  expect((await nobody('GET', '/api/settings')).body).toMatchObject({ canChange: true, auto: true });
  expect((await nobody('PATCH', '/api/settings', { body: { auto: false } })).body.auto).toBe(false);
});

it('models are named at run time where they can be had, for new sessions and for summaries, and go back to the configured one', async () => {
  const other = { ...scriptedModelDriver([{ text: 'By the other' }]), name: 'ollama:other' };
  const summarisers = {
    configured: { type: 'code' },
    same: { type: 'code' },
    own: { type: 'code' },
  } as const;
  await using own = await openServer({
    models: {
      names: ['demo:scripted', 'ollama:other'],
      take: ({ name }) =>
        Promise.resolve(
          name === other.name
            ? { type: 'taken', driver: other, summarisers, note: 'It is small.' }
            : { type: 'refused', field: 'name', message: 'set OTHER_KEY' },
        ),
    },
  });
  const asks = askerOf(own.url);
  const change = (body: object): ReturnType<Ask> => asks('PATCH', '/api/settings', { body });
  const before = (await asks('GET', '/api/settings')).body;
  expect(before).toMatchObject({ model: 'demo:scripted', canName: true, named: { model: null } });
  const refused = await change({ auto: false, model: { name: 'x:y' } });
  expect(refused.body.faults).toEqual([{ path: '/model/name', message: 'set OTHER_KEY' }]);
  expect((await asks('GET', '/api/settings')).body).toEqual(before);
  const model = { name: 'ollama:other', windowTokens: 4_000 };
  expect((await change({ model })).body).toMatchObject({
    model: 'ollama:other',
    changed: ['model'],
    named: { model: { ...model, note: 'It is small.' } },
  });
  expect((await asks('GET', '/api/models')).body.default).toBe('ollama:other');
  const said = await asks('POST', '/api/message?wait=true', { body: { content: 'Go' } });
  expect(said.body.reply).toBe('By the other');
  expect((await change({ model: null })).body).toEqual(before);
});

it('models cannot be named where there are only those of the configuration', async () => {
  expect((await ask('GET', '/api/settings')).body).toMatchObject({ canName: false });
  const refused = await ask('PATCH', '/api/settings', { body: { summariser: { name: 'ollama:x' } } });
  expect([refused.status, refused.body.faults[0].path]).toEqual([422, '/summariser/name']);
});
