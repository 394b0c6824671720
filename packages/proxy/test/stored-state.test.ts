import { askers, talk } from './askers.ts';
import { createStrictUpstream, memoryFolder } from '@throughline/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore, memoryBlobs } from '@throughline/stores';
import { randomIds, systemClock } from '@throughline/ports';
import { startProxy } from './start-proxy.ts';
import type { Said } from './askers.ts';
import type { SessionStore } from '@throughline/ports';
import type { StrictUpstream } from '@throughline/testkit';

const filler = 'The account was moved to the other ledger because the first one was closed. '.repeat(12);
const question = (turn: number): string => `Question ${turn}: why was it moved? ${filler}`;
const windowTokens = 4_000;

let upstream: StrictUpstream;
beforeAll(async () => {
  upstream = await createStrictUpstream({ windowTokens: 2 * windowTokens });
});
afterAll(() => upstream.stop());

interface Place extends AsyncDisposable {
  /** As another process opens it. */
  open(): Promise<SessionStore>;
}

async function place(): Promise<Place> {
  const folder = await mkdtemp(join(memoryFolder(), 'proxy-state-'));
  const file = join(folder, 'store.db');
  return {
    open: () => openSqliteStore({ file, blobs: memoryBlobs(), clock: systemClock, ids: randomIds }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** What the upstream was sent for these messages by a proxy that knows nothing but its store. */
async function sentBy(
  store: Pick<SessionStore, 'proxy'> | undefined,
  histories: readonly (readonly Said[])[],
  headers: Readonly<Record<string, string>> = {},
  api: keyof typeof askers = 'chat completions',
): Promise<readonly string[]> {
  const sent: string[] = [];
  const services = store ? { store: store.proxy } : {};
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, services });
  for (const messages of histories) {
    const asked = { messages, isStreamed: false, maxTokens: 300, headers };
    sent.push((await upstreamSaw(() => askers[api](proxy.url, asked)))[0] ?? '');
  }
  return sent;
}

/** Bodies of the requests that came meanwhile with this question. */
async function upstreamSaw(ask: () => Promise<unknown>): Promise<readonly string[]> {
  const before = upstream.requests.length;
  await ask();
  return upstream.requests.slice(before).map(({ bytes }) => bytes.toString());
}

const long = talk(24, question);
const turnsOf = (count: number): readonly Said[] => long.slice(0, 2 * count - 1);

describe('after a restart', () => {
  it.each(Object.keys(askers) as (keyof typeof askers)[])(
    'the same histories get the same bytes over %s, and later ones the changes that were made before',
    async (api) => {
      await using at = await place();
      const histories = Array.from({ length: 24 }, (_, index) => turnsOf(index + 1));
      const sent = await (async () => {
        await using store = await at.open();
        return await sentBy(store, histories, {}, api);
      })();
      expect(sent.at(-1)?.length).toBeLessThan(JSON.stringify(long).length);
      await using store = await at.open();
      for (const turns of [24, 17, 23]) {
        const [again] = await sentBy(store, [turnsOf(turns)], {}, api);
        expect(again).toBe(sent[turns - 1]);
      }
    },
  );

  it('a conversation goes on under its id, with its title and its counts', async () => {
    await using at = await place();
    await using store = await at.open();
    await sentBy(store, [turnsOf(20), turnsOf(21)]);
    await sentBy(store, [turnsOf(22)]);
    const { items } = await store.proxy.conversations.list({ owner: '' });
    expect(items).toMatchObject([{ requests: 3, length: 43, route: 'it', model: 'm' }]);
    expect(items[0]?.compactions).toBeGreaterThan(0);
    expect(items[0]?.title).toMatch(/^Question 0: why was it moved\? .*…$/);
    expect(items[0]?.lastUsage).toMatchObject({ inputTokens: expect.any(Number) });
    const { items: messages } = await store.proxy.conversations.messages({ owner: '' }, items[0]?.id ?? '');
    expect(messages.map(({ message }) => JSON.parse(message).content)).toEqual(
      turnsOf(22).map(({ text }) => text),
    );
  });

  it('what follows the compaction of a client comes from the old conversation, once', async () => {
    await using at = await place();
    const headers = { 'x-claude-code-session-id': 'one' };
    const order = 'Answer in text only. Write an <analysis> block and then a <summary> block of it.';
    const goesOn = talk(2, () => 'This session is continued from a previous conversation.');
    const asked: readonly (readonly Said[])[] = [
      turnsOf(20),
      [...turnsOf(20), { role: 'assistant', text: 'So.' }, { role: 'user', text: order }],
      goesOn,
      [...goesOn.slice(0, -1), { role: 'user', text: 'Something else.' }],
      talk(3, () => 'Another talk of the session.'),
    ];
    for (const history of asked) {
      await using store = await at.open();
      await sentBy(store, [history], headers);
    }
    await using store = await at.open();
    const { items } = await store.proxy.conversations.list({ owner: '' });
    const found = items.toReversed().map(({ title, parentId }) => [title.slice(0, 12), parentId !== null]);
    expect(found).toEqual([
      ['Question 0: ', false],
      ['This session', true],
      ['This session', false],
      ['Another talk', false],
    ]);
    const [parent, child] = items.toReversed();
    expect(child?.parentId).toBe(parent?.id);
  });

  it('a window that was learned is known', async () => {
    await using at = await place();
    await using store = await at.open();
    const upstream = await createStrictUpstream({ windowTokens: 1_800 });
    const asked = talk(60, question);
    for (const _ of [1, 2]) {
      await using proxy = await startProxy(`${upstream.url}/v1`, { services: { store: store.proxy } });
      await askers['chat completions'](proxy.url, { messages: asked, isStreamed: false, maxTokens: 200 });
    }
    await upstream.stop();
    expect(upstream.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
    expect(upstream.requests[2]?.bytes.equals(upstream.requests[1]?.bytes ?? Buffer.alloc(0))).toBe(true);
  });

  it('a window that was learned counts where the upstream tells of a larger one, as it did before', async () => {
    await using at = await place();
    await using store = await at.open();
    const upstream = await createStrictUpstream({ windowTokens: 1_800 });
    let nowMs = Date.now();
    const clock = { nowMs: () => (nowMs += 1_000) };
    const services = {
      store: store.proxy,
      clock,
      discoverLimits: () => Promise.resolve({ windowTokens: 64_000 }),
    };
    const windows: unknown[] = [];
    for (const turns of [60, 61]) {
      await using proxy = await startProxy(`${upstream.url}/v1`, { services });
      const messages = talk(turns, question).map(({ role, text: content }) => ({ role, content }));
      const body = JSON.stringify({ model: 'm', messages, max_tokens: 200 });
      const answer = await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body });
      await answer.text();
      windows.push(answer.headers.get('x-context-window'));
    }
    await upstream.stop();
    expect(windows).toEqual(['1800', '1800']);
    expect(upstream.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
  });
});

it('two proxies on one file make the same of one history, also at the same time', async () => {
  await using at = await place();
  await using one = await at.open();
  await using other = await at.open();
  const bodies = await upstreamSaw(() => Promise.all([one, other].map((store) => sentBy(store, [long]))));
  expect(bodies).toHaveLength(2);
  expect(new Set(bodies).size).toBe(1);
  expect(bodies[0]?.length).toBeLessThan(JSON.stringify(long).length);
});

it('nothing is answered from the conversations of another credential', async () => {
  await using at = await place();
  await using store = await at.open();
  const [alone] = await sentBy(undefined, [turnsOf(24)], { 'x-api-key': 'other' });
  await sentBy(store, [turnsOf(20), turnsOf(22)]);
  const [sent] = await sentBy(store, [turnsOf(24)], { 'x-api-key': 'other' });
  expect(sent).toBe(alone);
});

describe('a store that fails', () => {
  const broken = new Proxy({} as SessionStore['proxy'], {
    get: () => () => Promise.reject(new Error('the disk is gone')),
  });

  it('fails no request, and is told of once', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, services: { store: broken } });
    for (const turns of [20, 21, 24])
      await askers['chat completions'](proxy.url, {
        messages: turnsOf(turns),
        isStreamed: true,
        maxTokens: 300,
      });
    await upstream.stop();
    expect(upstream.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(proxy.lines.filter((line) => line.startsWith('The store'))).toHaveLength(1);
  });

  it('refuses requests of a route that is closed', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, {
      windowTokens,
      onFailure: 'closed',
      services: { store: broken },
    });
    const asked = askers['chat completions'](proxy.url, { messages: turnsOf(2), isStreamed: false });
    await expect(asked).rejects.toMatchObject({ status: 500 });
    await upstream.stop();
    expect(upstream.requests).toEqual([]);
  });
});

it('two proxies that are asked the same at once stay in one conversation, whoever writes it down first', async () => {
  await using at = await place();
  await using store = await at.open();
  const upstreamUrl = `${upstream.url}/v1`;
  await using second = await startProxy(upstreamUrl, { services: { store: store.proxy, sharesStore: true } });
  let meanwhile: (() => Promise<unknown>) | undefined;
  const { conversations } = store.proxy;
  const read: typeof conversations.read = async (...asked) => {
    const first = meanwhile;
    meanwhile = undefined;
    await first?.();
    return await conversations.read(...asked);
  };
  const slow = { ...store.proxy, conversations: { ...conversations, read } };
  await using first = await startProxy(upstreamUrl, { services: { store: slow, sharesStore: true } });
  const ask = async (url: string, turns: number): Promise<unknown> =>
    await askers['chat completions'](url, {
      messages: talk(turns, question),
      isStreamed: false,
      maxTokens: 300,
    });
  await ask(first.url, 1);
  meanwhile = () => ask(second.url, 2);
  await ask(first.url, 2);
  expect(meanwhile).toBe(undefined);
  const { items } = await conversations.list({ owner: '' });
  expect(items).toMatchObject([{ requests: 3 }]);
});

it.each(['with a store', 'without'])(
  'what is asked again is sent again, also where a window was learned since (%s)',
  async (how) => {
    await using at = await place();
    await using store = await at.open();
    const server = await createStrictUpstream({ windowTokens: 3_000 });
    const services = how === 'without' ? {} : { store: store.proxy };
    await using proxy = await startProxy(`${server.url}/v1`, { services });
    const steps = (...numbers: readonly number[]): readonly object[] =>
      numbers.flatMap((number) => {
        const id = `call_${number}`;
        const call = { id, type: 'function', function: { name: 'read', arguments: '{}' } };
        return [
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: id, content: `${number}: ${filler}${filler}` },
        ];
      });
    const short = [{ role: 'user', content: 'Why?' }, ...steps(1)];
    const statuses: number[] = [];
    for (const messages of [short, [...short, ...steps(2, 3, 4, 5, 6, 7)], short]) {
      const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }];
      const body = JSON.stringify({ model: 'm', messages, max_tokens: 300, tools });
      const answer = await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body });
      await answer.text();
      statuses.push(answer.status);
    }
    await server.stop();
    expect(statuses).toEqual([200, 200, 200]);
    expect(server.requests.map(({ status }) => status)).toEqual([200, 400, 200, 200]);
    const [before, , , again] = server.requests.map(({ bytes }) => bytes.toString());
    expect(again).toBe(before);
  },
);
