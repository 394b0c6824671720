import { openAgent, storyOf } from './agent-bench.ts';
import { expect, it } from 'vitest';
import { until } from './virtual-time.ts';

it('makes a session with its first message, once, however often both are asked for', async () => {
  const { agent, store, driver, another } = await openAgent([{ text: 'ok' }], { in: 'file' });
  const session = { id: 'mine', owner: 'ada', title: 'T' };
  const send = () => agent.send('Go', { id: 'm', session });
  const [first, second] = await Promise.all([send(), send()]);
  const opened = await agent.open('mine');
  await opened.settled();
  const runId = (await store.journal.runs('mine'))[0]?.id;
  for (const sent of [first, second]) expect(sent).toMatchObject({ id: 'm', sessionId: 'mine' });
  const answer = { isQueued: false, id: 'm', sessionId: 'mine', runId };
  expect(await send()).toEqual(answer);
  // After a restart, too.
  expect(await (await another()).agent.send('Go', { id: 'm', session })).toEqual(answer);
  expect(await storyOf(store, opened)).toEqual(['user text:Go', 'assistant text:ok']);
  expect(driver.requests).toHaveLength(1);
  expect(await opened.info()).toMatchObject({ owner: 'ada', title: 'T' });
  const foreign = agent.send('Hi', { session: { id: 'mine', owner: 'eve' } });
  await expect(foreign).rejects.toMatchObject({ code: 'not-found' });
});

it('says of a message that was sent again which run took it, also of those that were taken together', async () => {
  const { agent, store, driver } = await openAgent([{ text: 'Hm', hangs: true }, { text: 'ok' }]);
  const session = await agent.create();
  await session.send('Go', { id: 'a' });
  await until(() => driver.requests.length === 1);
  const queued = await session.send('Second', { id: 'b' });
  expect(await session.send('Second', { id: 'b' })).toEqual(queued);
  await session.cancel();
  await session.send('Third', { id: 'c' });
  await session.settled();
  const [one, two] = await store.journal.runs(session.id);
  expect(await session.send('Go', { id: 'a' })).toEqual({ isQueued: false, id: 'a', runId: one?.id });
  for (const id of ['b', 'c'])
    expect(await session.send('again', { id })).toEqual({ isQueued: false, id, runId: two?.id });
});

it('leaves no session behind for a message that cannot be sent', async () => {
  const { agent, store } = await openAgent([]);
  await expect(agent.send(' ', { session: { id: 'x' } })).rejects.toMatchObject({ code: 'invalid-option' });
  expect((await store.sessions.list()).items).toEqual([]);
  await agent.create({ id: 'y' });
  await expect(agent.send(' ', { session: { id: 'y' } })).rejects.toMatchObject({ code: 'invalid-option' });
  expect((await store.sessions.list()).items).toHaveLength(1);
});

it('deletes a session that is busy, and none of another owner', async () => {
  const { agent, store, driver } = await openAgent([{ text: 'Hm', hangs: true }]);
  const { sessionId } = await agent.send('Go', { session: { owner: 'ada' } });
  await until(() => driver.requests.length === 1);
  expect(await agent.delete(sessionId, { owner: 'eve' })).toBe(false);
  expect((await agent.open(sessionId)).isRunning).toBe(true);
  expect(await agent.delete(sessionId, { owner: 'ada' })).toBe(true);
  expect(await agent.delete(sessionId)).toBe(false);
  expect((await store.sessions.list()).items).toEqual([]);
});

it('reads the bytes of a message with what they are, and nothing by a name that is no hash of this session', async () => {
  const { agent } = await openAgent([{ text: 'ok' }, { text: 'ok' }]);
  const session = await agent.create();
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await session.send([{ type: 'image', mediaType: 'image/png', data: png.toString('base64') }]);
  await session.settled();
  const [{ message } = { message: undefined }] = (await session.history()).items;
  const part = message?.parts[0];
  const url = part?.type === 'media' && part.source.type === 'url' ? part.source.url : '';
  const hash = url.replace('@blob:', '');
  expect(await session.blob(hash)).toEqual({ bytes: new Uint8Array(png), mediaType: 'image/png' });
  for (const name of ['', '../../etc/passwd', hash.toUpperCase(), `${'0'.repeat(64)}`])
    expect(await session.blob(name)).toBeUndefined();
  expect(await (await agent.create()).blob(hash)).toBeUndefined();
  expect((await (await session.fork()).blob(hash))?.mediaType).toBe('image/png');
});
