import { afterEach, expect, it, vi } from 'vitest';
import { askers, talk } from './askers.ts';
import { createStrictUpstream } from '@throughline/testkit';
import { openMemoryStore } from '@throughline/stores';
import { randomIds } from '@throughline/ports';
import { startProxy } from './start-proxy.ts';

const dayMs = 86_400_000;

afterEach(() => vi.restoreAllMocks());

it('conversations that were not used for the days of the configuration go, at the start and every hour', async () => {
  const intervals = vi.spyOn(globalThis, 'setInterval');
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  await using store = await openMemoryStore({ clock, ids: randomIds });
  const upstream = await createStrictUpstream({});
  const titles = async (): Promise<readonly string[]> =>
    (await store.proxy.conversations.list({ owner: '' })).items.map(({ title }) => title);
  const start = () =>
    startProxy(`${upstream.url}/v1`, {
      services: { store: store.proxy, clock },
      options: { keep: { days: 2, maxBytes: 1_000_000 } },
    });
  const ask = async (url: string, text: string): Promise<unknown> =>
    await askers['chat completions'](url, { messages: talk(1, () => text), isStreamed: false });
  for (const [day, text] of ['The first day.', 'The second day.'].entries()) {
    nowMs = day * dayMs;
    await using proxy = await start();
    await ask(proxy.url, text);
  }
  expect(await titles()).toEqual(['The second day.', 'The first day.']);
  nowMs = 2.5 * dayMs;
  await using proxy = await start();
  await expect.poll(titles).toEqual(['The second day.']);
  // It is told behind that.
  const told = ['Conversations of the proxy that were too old or too many are deleted'];
  await expect.poll(() => proxy.lines).toEqual(told);
  nowMs = 3.5 * dayMs;
  expect(await titles()).toHaveLength(1);
  const hourly = intervals.mock.calls.findLast(([, everyMs]) => everyMs === 3_600_000)?.[0];
  hourly?.();
  await expect.poll(titles).toEqual([]);
  await upstream.stop();
});

it('conversations go, the one not used longest first, where more is kept than the configuration allows', async () => {
  let nowMs = 0;
  const clock = { nowMs: () => (nowMs += 1) };
  await using store = await openMemoryStore({ clock, ids: randomIds });
  const upstream = await createStrictUpstream({});
  const start = (maxBytes: number) =>
    startProxy(`${upstream.url}/v1`, {
      services: { store: store.proxy, clock },
      options: { keep: { days: 30, maxBytes } },
    });
  {
    await using proxy = await start(1_000_000);
    for (const name of ['One', 'Two', 'Three'])
      await askers['chat completions'](proxy.url, {
        messages: talk(1, () => `${name} ${'and so on '.repeat(300)}`),
        isStreamed: false,
      });
  }
  const list = async () => (await store.proxy.conversations.list({ owner: '' })).items;
  expect(await list()).toHaveLength(3);
  await using _ = await start(5_000);
  await expect.poll(async () => (await list()).length).toBeLessThan(3);
  expect((await list()).map(({ title }) => title.slice(0, 5))).toEqual(['Three']);
  await upstream.stop();
});
