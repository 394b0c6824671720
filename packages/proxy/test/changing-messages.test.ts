import { createStrictUpstream, memoryFolder } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { memoryBlobs, openMemoryStore, openSqliteStore } from '@throughline/stores';
import { mkdtemp, rm } from 'node:fs/promises';
import { randomIds, systemClock } from '@throughline/ports';
import { startProxy } from './start-proxy.ts';
import type { ProxyStore } from '@throughline/ports';
import type { StartedProxy } from './start-proxy.ts';

const windowTokens = 4_000;
const sentence = 'The account was moved to the other ledger because the first one was closed. ';
const turns = 30;

interface Said {
  readonly role: string;
  readonly content: string;
}

/** What the client keeps of a talk, the user's question last. */
const talkOf = (turn: number): readonly Said[] =>
  Array.from({ length: 2 * turn + 1 }, (_, at) =>
    at % 2 === 0
      ? { role: 'user', content: `Question ${at / 2}: why? ${sentence.repeat(7)}` }
      : { role: 'assistant', content: `As it was, ${at}. ${sentence.repeat(2)}` },
  );

/** How a client sends its history in this turn. */
type Written = (history: readonly Said[], turn: number) => readonly Said[];

const clockAt = (turn: number): string => `It is 12:${10 + turn}.`;

const asItIs: Written = (history) => history;
const timeBehind: Written = (history, turn) => [...history, { role: 'system', content: clockAt(turn) }];
const answerBegun: Written = (history) => [...history, { role: 'assistant', content: 'As it' }];
const contextInLast: Written = (history, turn) => [
  ...history.slice(0, -1),
  { role: 'user', content: `<context>${turn}: ${sentence.repeat(4)}</context>\n${history.at(-1)?.content}` },
];

const timeInFront =
  (role: 'system' | 'developer'): Written =>
  (history, turn) => [{ role, content: `You are a clerk. ${clockAt(turn)}` }, ...history];

interface Sent {
  readonly action: string;
  readonly messages: readonly Said[];
}

interface Asking {
  readonly path?: string;
  readonly key?: 'messages' | 'input';
}

interface Answered {
  readonly action: string;
  /** Of what was sent. */
  readonly estimate: number;
}

async function ask(url: string, messages: readonly Said[], { path, key }: Asking = {}): Promise<Answered> {
  const answer = await fetch(`${url}${path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', [key ?? 'messages']: messages }),
  });
  await answer.text();
  expect(answer.status).toBe(200);
  const { headers } = answer;
  return {
    action: headers.get('x-context-action') ?? '',
    estimate: Number(headers.get('x-context-tokens-after')),
  };
}

/** What goes to the upstream in each turn of one talk. */
async function sentFor(
  written: Written,
  { store, ...asking }: Asking & { readonly store?: ProxyStore } = {},
): Promise<readonly Sent[]> {
  const upstream = await createStrictUpstream({ windowTokens });
  const services = store ? { store } : {};
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, services });
  const sent: Sent[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const { action } = await ask(proxy.url, written(talkOf(turn), turn), asking);
    const body = JSON.parse(upstream.requests.at(-1)?.bytes.toString() ?? '{}');
    sent.push({ action, messages: body[asking.key ?? 'messages'] });
  }
  await upstream.stop();
  expect(upstream.faults).toEqual([]);
  return sent;
}

const made = (sent: readonly Sent[]): number => sent.filter(({ action }) => action === 'compacted').length;

/** Turns that do not go on from what was sent the turn before, but for so many messages at its end. */
const broken = (sent: readonly Sent[], changing: number): number =>
  sent.filter(({ messages }, at) => {
    const before = sent[at - 1]?.messages.slice(0, -changing) ?? [];
    return JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before);
  }).length;

const stores = [['memory alone'], ['a store']] as const;

describe.each(stores)('a message that is not resent as it was, over %s', (where) => {
  it.each([
    ['the time behind the last message', timeBehind],
    ['context in the newest question', contextInLast],
    ['an answer that the client begins', answerBegun],
  ] as const)('%s takes no more compactions than without it', async (_name, written) => {
    await using store = await openMemoryStore({ clock: systemClock, ids: randomIds });
    const options = where === 'a store' ? { store: store.proxy } : {};
    const plain = await sentFor(asItIs);
    const changing = await sentFor(written, options);
    expect(made(plain)).toBeGreaterThan(3);
    expect(made(changing)).toBeLessThanOrEqual(made(plain) + 3);
    expect(broken(changing, 1)).toBe(made(changing));
  });
});

/** By whom each turn is answered: the same process, one that knows nothing but the store, or two in turn. */
const processes = {
  'by one process': () => 0,
  'by one that is started again': (turn: number) => turn,
  'by two in turn': (turn: number) => turn % 2,
};

describe.each(Object.entries(processes))('a message that is not resent as it was, %s', (by, placeOf) => {
  it.each([
    ['the time behind the last message', timeBehind, 1],
    ['context in the newest question', contextInLast, 0],
    ['an answer that the client begins', answerBegun, 1],
  ] as const)('%s: it is of one conversation, and estimated as any other', async (_name, written, behind) => {
    await using store = await openMemoryStore({ clock: systemClock, ids: randomIds });
    const upstream = await createStrictUpstream({ windowTokens });
    const services = { store: store.proxy, sharesStore: by === 'by two in turn' };
    const proxies = new Map<number, StartedProxy>();
    const shares: number[] = [];
    // A conversation is known by its first message: it begins with the second turn.
    for (let turn = 1; turn < turns; turn += 1) {
      const known = proxies.get(placeOf(turn));
      // All that the one before it has noted is stored then.
      if (!known && placeOf(turn) > 1) await proxies.get(placeOf(turn - 1))?.[Symbol.asyncDispose]();
      const proxy = known ?? (await startProxy(`${upstream.url}/v1`, { windowTokens, services }));
      proxies.set(placeOf(turn), proxy);
      const { action, estimate } = await ask(proxy.url, written(talkOf(turn), turn));
      const counted = upstream.requests.at(-1)?.promptTokens ?? 0;
      if (turn > 2 && action !== 'compacted') shares.push(estimate / counted);
    }
    for (const proxy of proxies.values()) await proxy[Symbol.asyncDispose]();
    await upstream.stop();
    const { items } = await store.proxy.conversations.list({ owner: '' });
    expect(items).toMatchObject([{ requests: turns - 1, length: 2 * turns - 1 + behind }]);
    expect(Math.min(...shares)).toBeGreaterThan(0.95);
    expect(Math.max(...shares)).toBeLessThan(1.05);
  });
});

describe.each(stores)('instructions that change, over %s', (where) => {
  it.each([
    ['a system message', timeInFront('system'), {}],
    ['a developer message', timeInFront('developer'), { path: '/v1/responses', key: 'input' }],
  ] as const)('%s take no more compactions than without a change', async (_name, written, asking) => {
    await using store = await openMemoryStore({ clock: systemClock, ids: randomIds });
    const plain = await sentFor((history) => written(history, 0), asking);
    const changing = await sentFor(written, {
      ...asking,
      ...(where === 'a store' && { store: store.proxy }),
    });
    expect(made(plain)).toBeGreaterThan(3);
    expect(made(changing)).toBe(made(plain));
    const behind = (sent: readonly Sent[]) => sent.map(({ messages }) => messages.slice(1));
    expect(behind(changing)).toEqual(behind(plain));
    expect(changing.map(({ messages }) => messages[0])).toEqual(
      changing.map((_, turn) => written([], turn)[0]),
    );
  });
});

it('agents with other instructions and the same first question each go on with their own', async () => {
  const upstream = await createStrictUpstream({ windowTokens });
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
  const agent = (name: string, turn: number): readonly Said[] => [
    { role: 'system', content: `You are ${name}.` },
    ...talkOf(turn).map(({ role, content }, at) =>
      at === 0 ? { role, content } : { role, content: `${content} So says ${name}.` },
    ),
  ];
  const compacted = { one: 0, other: 0 };
  for (let turn = 0; turn < turns; turn += 1)
    for (const [name, another] of [
      ['one', 'other'],
      ['other', 'one'],
    ] as const) {
      const { action } = await ask(proxy.url, agent(name, turn));
      if (action === 'compacted') compacted[name] += 1;
      const body = upstream.requests.at(-1)?.bytes.toString() ?? '';
      expect(body).toContain(`You are ${name}.`);
      expect(body).not.toContain(`You are ${another}.`);
      expect(body).not.toContain(`So says ${another}.`);
    }
  await upstream.stop();
  expect(compacted.one).toBeGreaterThan(3);
  expect(compacted.other).toBe(compacted.one);
});

it('a compaction stands after a restart where another message stands at the end', async () => {
  const folder = await mkdtemp(join(memoryFolder(), 'changing-'));
  const file = join(folder, 'store.db');
  const upstream = await createStrictUpstream({ windowTokens });
  const inOwnProcess = async (messages: readonly Said[]): Promise<Sent> => {
    await using store = await openSqliteStore({
      file,
      blobs: memoryBlobs(),
      clock: systemClock,
      ids: randomIds,
    });
    await using proxy = await startProxy(`${upstream.url}/v1`, {
      windowTokens,
      services: { store: store.proxy },
    });
    const { action } = await ask(proxy.url, messages);
    return { action, messages: JSON.parse(upstream.requests.at(-1)?.bytes.toString() ?? '').messages };
  };
  const first = await inOwnProcess(timeBehind(talkOf(20), 20));
  const again = await inOwnProcess(timeBehind(talkOf(20), 21));
  const next = await inOwnProcess(timeBehind(talkOf(21), 22));
  await upstream.stop();
  await rm(folder, { recursive: true });
  expect([first, again, next].map(({ action }) => action)).toEqual(['compacted', 'replayed', 'replayed']);
  expect(again.messages).toEqual([...first.messages.slice(0, -1), { role: 'system', content: clockAt(21) }]);
  expect(next.messages.slice(0, first.messages.length - 1)).toEqual(first.messages.slice(0, -1));
});

it('what stood only in the last message of one request is never in another', async () => {
  const upstream = await createStrictUpstream({ windowTokens });
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
  const ending = (secret: string, turn: number): readonly Said[] => [
    ...talkOf(turn).slice(0, -1),
    { role: 'user', content: `The secret is ${secret}. ${sentence.repeat(9)}` },
  ];
  for (let turn = 12; turn < 24; turn += 1) {
    await ask(proxy.url, ending(`first${turn}`, turn));
    await ask(proxy.url, ending(`second${turn}`, turn));
    const [one, other] = upstream.requests.slice(-2).map(({ bytes }) => bytes.toString());
    expect(one?.match(/first\d+|second\d+/g)).toEqual([`first${turn}`]);
    expect(other?.match(/first\d+|second\d+/g)).toEqual([`second${turn}`]);
  }
  await upstream.stop();
});
