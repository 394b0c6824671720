import { createClient, ProblemError } from '@throughline/client';
import { createDemoDriver } from '@throughline/drivers';
import { expect, it } from 'vitest';
import { openServer } from './open-server.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { systemTimer } from '@throughline/ports';
import type { AgentEvent } from '@throughline/client';

async function collect(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

it('sends a message and waits for the reply', async () => {
  await using opened = await openServer({ driver: scriptedModelDriver([{ text: 'Hello, you.' }]) });
  const client = createClient({ baseUrl: opened.url });
  const answer = await client.wait({ content: 'Hello' });
  expect(answer).toMatchObject({ queued: false, reply: 'Hello, you.', outcome: { type: 'completed' } });
  const { items } = await client.listMessages({ id: answer.sessionId });
  expect(items.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

it('streams what happens until a message is answered, also in a session that is made for it', async () => {
  await using opened = await openServer({
    driver: scriptedModelDriver([{ text: ['Hel', 'lo'] }, { text: 'Again' }]),
  });
  const client = createClient({ baseUrl: opened.url });
  const first = await collect(client.streamMessage({ content: 'Hi' }));
  expect(first.at(-1)).toMatchObject({ type: 'run:end', data: { outcome: { type: 'completed' } } });
  const [session] = (await client.listSessions()).items;
  const second = await collect(client.streamMessage({ content: 'Go on', sessionId: session!.id }));
  const texts = second.filter(({ type }) => type === 'llm:response').map(({ data }) => data);
  expect(texts).toMatchObject([{ content: 'Again' }]);
  expect(second[0]!.seq).toBe(first.at(-1)!.seq + 1);
});

it('tells at which position a message waits, changes it there, and cancels', async () => {
  await using opened = await openServer({ driver: scriptedModelDriver([{ text: 'Half', hangs: true }]) });
  const client = createClient({ baseUrl: opened.url });
  const { sessionId } = await client.sendMessage({ content: 'Go' });
  const waiting = await client.sendMessage({ sessionId, content: 'And then' });
  expect(waiting).toMatchObject({ queued: true, position: 1 });
  await client.sendMessage({ sessionId, content: 'At last', messageId: 'last' });
  const moved = await client.changeWaiting({ id: 'last', sessionId, position: 1, content: 'At first' });
  expect(moved.items.map(({ parts }) => parts)).toMatchObject([
    [{ text: 'At first' }],
    [{ text: 'And then' }],
  ]);
  await client.cancelRun({ id: sessionId });
  expect(await client.settleRun({ id: sessionId })).toMatchObject({ outcome: { type: 'cancelled' } });
  expect(await client.clearQueue({ sessionId })).toEqual({ ok: true, removed: 2 });
});

it('takes a session out and in again', async () => {
  await using opened = await openServer({ driver: createDemoDriver({ timer: systemTimer, wordDelayMs: 0 }) });
  const client = createClient({ baseUrl: opened.url });
  const { sessionId: id } = await client.wait({ content: 'Hello' });
  const lines: string[] = [];
  for await (const line of client.exportSession({ id })) lines.push(line);
  const copy = await client.importSession(lines);
  const [there, here] = await Promise.all([id, copy.id].map((one) => client.listMessages({ id: one })));
  expect(copy.id).not.toBe(id);
  expect(here!.items.map(({ parts }) => parts)).toEqual(there!.items.map(({ parts }) => parts));
});

it('ends the events of a session that is deleted, and refuses them afterwards', async () => {
  await using opened = await openServer({ heartbeatMs: 20 });
  const client = createClient({ baseUrl: opened.url });
  const { id } = await client.createSession({ title: 'Short' });
  await client.renameSession({ id, title: 'Shorter' });
  const titles: unknown[] = [];
  for await (const { data } of client.events(id)) {
    titles.push(data);
    await client.deleteSession({ id });
  }
  expect(titles).toEqual([{ title: 'Shorter' }]);
  await expect(collect(client.events(id))).rejects.toBeInstanceOf(ProblemError);
});
