import { expect, it } from 'vitest';
import { askerOf } from './api-client.ts';
import { defineTool } from '@throughline/agent';
import { openServer } from './open-server.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';
import type { Ask } from './api-client.ts';
import type { Driver } from '@throughline/ports';

/** A model that writes summaries once it is let. */
function gatedSummariser(): { readonly driver: Driver; readonly open: () => void } {
  const gate = Promise.withResolvers<void>();
  const driver: Driver = {
    name: 'gated',
    complete: async () => {
      await gate.promise;
      return { type: 'text', text: 'What was said, in short.', finish: 'stop' };
    },
  };
  return { driver, open: () => gate.resolve() };
}

/** What a list and the session itself say that it does. */
async function statusesOf(ask: Ask, id: string): Promise<readonly string[]> {
  const [list, one] = await Promise.all([ask('GET', '/api/sessions'), ask('GET', `/api/sessions/${id}`)]);
  const listed = list.body.items.find((session: { id: string }) => session.id === id);
  return [listed.status, one.body.status];
}

it('while a compaction is made its session says so, a second one is told plainly to wait, and messages wait', async () => {
  const { driver, open } = gatedSummariser();
  await using opened = await openServer({
    agent: { summariser: { type: 'model', driver, windowTokens: 100_000 } },
  });
  const ask = askerOf(opened.url);
  let sessionId: string | undefined;
  for (let turn = 0; turn < 4; turn += 1) {
    const body = { content: 'tell me 600 words', ...(sessionId !== undefined && { sessionId }) };
    sessionId = (await ask('POST', '/api/message?wait=true', { body })).body.sessionId as string;
  }
  const id = sessionId ?? '';
  expect(await statusesOf(ask, id)).toEqual(['idle', 'idle']);
  const first = ask('POST', `/api/sessions/${id}/compact`);
  await expect
    .poll(async () => (await ask('GET', `/api/sessions/${id}/compaction`)).body.isCompacting)
    .toBe(true);
  expect(await statusesOf(ask, id)).toEqual(['compacting', 'compacting']);
  const second = await ask('POST', `/api/sessions/${id}/compact`);
  expect([second.status, second.body.code, second.body.detail]).toEqual([
    409,
    'busy',
    'Nothing can be compacted while a run or a compaction of the session is busy. Try again later.',
  ]);
  const sent = await ask('POST', '/api/message', { body: { sessionId: id, content: 'help' } });
  expect([sent.status, sent.body.queued]).toEqual([202, true]);
  open();
  expect((await first).body.type).toBe('compacted');
  // What was sent meanwhile is answered by itself.
  await ask('GET', `/api/sessions/${id}/settled`);
  const { items } = (await ask('GET', `/api/sessions/${id}/compactions`)).body;
  expect(items).toHaveLength(1);
  const after = (await ask('GET', `/api/sessions/${id}/compaction`)).body;
  expect([after.isCompacting, after.count]).toEqual([false, 1]);
  await expect.poll(() => statusesOf(ask, id)).toEqual(['idle', 'idle']);
});

it('while a question waits for an answer its session says so, and not any more behind it', async () => {
  const bash = defineTool({
    name: 'bash',
    description: 'Runs a command.',
    input: z.object({}),
    execute: () => 'done',
  });
  const driver = scriptedModelDriver([
    { calls: [{ callId: 'c', name: 'bash', input: {} }] },
    { text: 'It is done.' },
  ]);
  await using opened = await openServer({ driver, agent: { tools: [bash] } });
  const ask = askerOf(opened.url);
  const { body } = await ask('POST', '/api/message', { body: { content: 'do it' } });
  const path = `/api/sessions/${body.sessionId}`;
  const questions = async () => (await ask('GET', `${path}/approvals`)).body.items;
  await expect.poll(questions).toHaveLength(1);
  const [question] = await questions();
  expect(await statusesOf(ask, body.sessionId)).toEqual(['waiting', 'waiting']);
  expect((await ask('GET', path)).body).toMatchObject({ isRunning: true, pendingApprovals: 1 });
  await ask('POST', `${path}/approvals/${question.id}`, { body: { type: 'allow', scope: 'once' } });
  await ask('GET', `${path}/settled`);
  expect(await statusesOf(ask, body.sessionId)).toEqual(['idle', 'idle']);
});
