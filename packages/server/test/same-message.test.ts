import { createAgent } from '@throughline/agent';
import { createDemoDriver } from '@throughline/drivers';
import { createServer } from '@throughline/server';
import { systemTimer } from '@throughline/ports';
import { expect, it } from 'vitest';
import { askerOf } from './api-client.ts';
import { openServer } from './open-server.ts';
import type { Ask } from './api-client.ts';

const body = { messageId: 'mine', content: 'help' };

async function sessionsOf(ask: Ask): Promise<readonly string[]> {
  return (await ask('GET', '/api/sessions')).body.items.map(({ id }: { id: string }) => id);
}

it('a message of one id makes one session, however often and at once it is sent without one', async () => {
  await using opened = await openServer();
  const ask = askerOf(opened.url);
  const first = await ask('POST', '/api/message?wait=true', { body });
  const again = await Promise.all([1, 2, 3].map(() => ask('POST', '/api/message?wait=true', { body })));
  expect(again.map((answer) => answer.body)).toEqual(again.map(() => first.body));
  const other = { ...body, messageId: 'other' };
  const atOnce = await Promise.all([1, 2, 3].map(() => ask('POST', '/api/message', { body: other })));
  const ids = new Set(atOnce.map((answer) => answer.body.sessionId));
  expect(ids.size).toBe(1);
  expect(await sessionsOf(ask)).toHaveLength(2);
  const { items } = (await ask('GET', `/api/sessions/${first.body.sessionId}/messages`)).body;
  expect(items.filter(({ role }: { role: string }) => role === 'user')).toHaveLength(1);
});

it('a message of one id makes one session over a restart', async () => {
  await using opened = await openServer();
  const first = await askerOf(opened.url)('POST', '/api/message?wait=true', { body });
  await opened.server.stop();
  const { store } = opened.services.agent;
  await opened.services.agent[Symbol.asyncDispose]();
  const driver = createDemoDriver({ timer: systemTimer, wordDelayMs: 0 });
  await using agent = createAgent({ driver, store });
  await using restarted = await createServer({ ...opened.services, agent }, { port: 0 });
  const ask = askerOf(restarted.address.url);
  const second = await ask('POST', '/api/message?wait=true', { body });
  expect(second.body).toEqual(first.body);
  expect(await sessionsOf(ask)).toEqual([first.body.sessionId]);
});

it('a message of one id is another session for each owner', async () => {
  const tokens = ['ann', 'bob'].map((owner) => ({ owner, token: `the-token-of-${owner}-0000` }));
  await using opened = await openServer({ tokens });
  const answers = await Promise.all(
    tokens.map(({ token }) => askerOf(opened.url, token)('POST', '/api/message', { body })),
  );
  const [ann, bob] = answers.map((answer) => answer.body.sessionId);
  expect(ann).not.toBe(bob);
});

it('a message of one id that cannot be sent leaves no session, and does not delete the one of that id', async () => {
  await using opened = await openServer();
  const ask = askerOf(opened.url);
  const empty = { ...body, content: ' ' };
  expect((await ask('POST', '/api/message', { body: empty })).status).toBe(422);
  expect(await sessionsOf(ask)).toEqual([]);
  const { sessionId } = (await ask('POST', '/api/message?wait=true', { body })).body;
  await ask('POST', '/api/message', { body: empty });
  expect(await sessionsOf(ask)).toEqual([sessionId]);
});

it('sessions work in the folder of the agent, and are listed by it, by family and by time', async () => {
  await using opened = await openServer({ agent: { folder: '/shop' } });
  const ask = askerOf(opened.url);
  const { body: made } = await ask('POST', '/api/sessions', { body: {} });
  const { body: sent } = await ask('POST', '/api/message?wait=true', { body });
  const { body: forked } = await ask('POST', `/api/sessions/${sent.sessionId}/fork`, { body: {} });
  expect([made.folder, forked.folder]).toEqual(['/shop', '/shop']);
  const listed = async (query: string): Promise<readonly string[]> =>
    (await ask('GET', `/api/sessions?${query}`)).body.items.map(({ id }: { id: string }) => id);
  expect(await listed('folder=%2Fshop')).toHaveLength(3);
  expect(await listed('folder=%2Fother')).toEqual([]);
  expect(new Set(await listed(`family=${sent.sessionId}`))).toEqual(new Set([sent.sessionId, forked.id]));
  expect(await listed(`updatedSinceMs=${Date.now() + 60_000}`)).toEqual([]);
  expect((await ask('GET', '/api/sessions?updatedSinceMs=soon')).status).toBe(422);
});
