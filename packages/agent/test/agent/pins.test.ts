import { ask, dataOf, openAgent, record } from './agent-bench.ts';
import { expect, it } from 'vitest';
import { longTurn, openNarrow } from './long-bench.ts';
import { until } from './virtual-time.ts';

const told = /7\.45 The quick brown fox/;

it('keeps a pinned result whole through compactions, and lets it go when it is not pinned any more', async () => {
  const script = [...longTurn(1, 8), { text: 'ok' }, { text: 'ok' }];
  const { agent, another } = await openNarrow(script, { context: { windowTokens: 60_000 } });
  const session = await agent.create();
  const events = record(session);
  await ask(session, 'Go');
  const { items } = await session.history({ limit: 100 });
  const pinned = items.find(
    ({ message: { role, parts } }) => role === 'tool' && told.test(JSON.stringify(parts)),
  );
  const id = pinned?.message.id ?? '';
  expect(await session.pin(id)).toEqual({ type: 'done', pins: [pinned?.ordinal] });
  expect(await session.pin(pinned?.ordinal ?? -1)).toEqual({ type: 'done', pins: [pinned?.ordinal] });
  await expect(session.pin('nothing')).rejects.toMatchObject({ code: 'not-found' });
  expect((await session.compact()).type).toBe('compacted');
  expect(JSON.stringify((await session.request()).messages)).toMatch(told);
  const shown = (await session.compare())?.now ?? [];
  expect(shown.filter(({ isPinned }) => isPinned).map(({ ordinal }) => ordinal)).toEqual([pinned?.ordinal]);
  expect(shown.find(({ isPinned }) => isPinned)?.isEdited).toBe(false);

  // In another process, and in a fork, too.
  const next = await (await another()).agent.open(session.id);
  expect(await next.pins()).toEqual([pinned?.ordinal]);
  const fork = await session.fork();
  expect(await fork.pins()).toEqual([pinned?.ordinal]);

  await session.undo();
  expect(await session.unpin(id)).toEqual({ type: 'done', pins: [] });
  await session.compact();
  expect(JSON.stringify((await session.request()).messages)).not.toMatch(told);
  expect(await fork.pins()).toEqual([pinned?.ordinal]);
  expect(dataOf(events, 'message:pinned')).toEqual([
    { ordinal: pinned?.ordinal, isPinned: true },
    { ordinal: pinned?.ordinal, isPinned: false },
  ]);
});

it('pins while a run is busy, several at once, and holds from the next request on', async () => {
  const { agent, driver } = await openAgent([{ text: 'One.' }, { text: 'Two.', hangs: true }]);
  const session = await agent.create();
  await ask(session, 'Go');
  await session.send('And?');
  await until(() => driver.requests.length === 2);
  await Promise.all([session.pin(1), session.pin(0), session.pin(2)]);
  expect(session.isRunning).toBe(true);
  expect(await session.pins()).toEqual([0, 1, 2]);
  await session.cancel();
});

it('says that a session is busy where another process has it', async () => {
  const { agent, another, driver } = await openAgent([{ text: 'Hm', hangs: true }], { in: 'file' });
  const session = await agent.create();
  await session.send('Go');
  await until(() => driver.requests.length === 1);
  const other = await (await another()).agent.open(session.id);
  expect(await other.pin(0)).toEqual({ type: 'busy' });
  await session.cancel();
});
