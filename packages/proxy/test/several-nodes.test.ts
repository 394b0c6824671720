import { askers, talk } from './askers.ts';
import { completeText, createStrictUpstream, testPostgres } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { openPostgresStore } from '@throughline/stores/postgres';
import { startProxy } from './start-proxy.ts';
import type { Driver, SessionStore } from '@throughline/ports';
import type { Said } from './askers.ts';
import type { StartOptions, StartedProxy } from './start-proxy.ts';

const server = await testPostgres();

/** What the upstream has: nobody is told. */
const windowTokens = 3_000;
const filler = 'The account was moved to the other ledger because the first one was closed. '.repeat(10);

interface Nodes extends AsyncDisposable {
  readonly proxies: readonly StartedProxy[];
  readonly stores: readonly SessionStore[];
}

let schemas = 0;

/** Proxies with a store each on one Postgres, as processes would have them. */
async function startNodes(
  url: string,
  upstream: string,
  { count, services, ...options }: StartOptions & { readonly count: number },
): Promise<Nodes> {
  const schema = `nodes_${process.pid}_${(schemas += 1)}`;
  const stores: SessionStore[] = [];
  const proxies: StartedProxy[] = [];
  for (let at = 0; at < count; at += 1) {
    const store = await openPostgresStore({ url, schema, connections: 3 });
    stores.push(store);
    const shared = { store: store.proxy, sharesStore: true, ...services };
    proxies.push(await startProxy(`${upstream}/v1`, { ...options, services: shared }));
  }
  return {
    proxies,
    stores,
    [Symbol.asyncDispose]: async () => {
      for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
      for (const store of stores) await store[Symbol.asyncDispose]();
    },
  };
}

/** Numbers that look drawn, and are the same each time. */
function drawn(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const turns = 18;

interface Ask {
  readonly dialect: keyof typeof askers;
  readonly isStreamed: boolean;
  readonly messages: readonly Said[];
}

/** Four conversations turn by turn, side by side, with retries and rewinds in between. */
function asks(): readonly Ask[] {
  const draw = drawn(5);
  const texts = talk(turns, (turn) => `Question ${turn}: why? ${filler}`);
  return Array.from({ length: turns }, (_, turn) => turn).flatMap((turn) =>
    (['chat completions', 'messages'] as const).flatMap((dialect) =>
      [true, false].flatMap((isStreamed): Ask[] => {
        const upTo = (count: number): Ask => ({
          dialect,
          isStreamed,
          // Those that are streamed are another conversation.
          messages: texts.slice(0, 2 * count + 1).map((said) => ({
            ...said,
            text: `${isStreamed ? 'Streamed' : 'Whole'}. ${said.text}`,
          })),
        });
        const back = draw(6);
        return back === 0 && turn > 0 ? [upTo(turn), upTo(turn - draw(2))] : [upTo(turn)];
      }),
    ),
  );
}

/** Bodies that came to the upstream, with each request at one of so many nodes. */
async function sentOver(url: string, count: number): Promise<readonly string[]> {
  const upstream = await createStrictUpstream({ windowTokens });
  const draw = drawn(9);
  {
    await using nodes = await startNodes(url, upstream.url, { count });
    for (const { dialect, ...asked } of asks()) {
      const { url: at } = nodes.proxies[draw(count)] as StartedProxy;
      await askers[dialect](at, { ...asked, maxTokens: 300 });
    }
  }
  await upstream.stop();
  expect(upstream.faults).toEqual([]);
  return upstream.requests.map(({ bytes }) => bytes.toString());
}

describe.skipIf(typeof server === 'string')('proxies on one Postgres', () => {
  if (typeof server === 'string') return;
  const { url } = server;

  it('send what one would send, whichever is asked, with a window that errors name', async () => {
    const alone = await sentOver(url, 1);
    expect(alone.length).toBeGreaterThan(asks().length);
    expect(alone.filter((body) => !body.includes('Question 1:')).length).toBeGreaterThan(10);
    expect(await sentOver(url, 3)).toEqual(alone);
  });

  it('that compact one conversation at the same moment end with one result', async () => {
    const upstream = await createStrictUpstream({ windowTokens: 2 * windowTokens });
    let calls = 0;
    /** One that never says the same twice. */
    const driver: Driver = {
      name: 'changing',
      complete: () => Promise.resolve(completeText(`## Completed Work\n- Moved, as told ${(calls += 1)}.\n`)),
    };
    const services = { summariserFor: () => driver };
    await using nodes = await startNodes(url, upstream.url, { count: 3, services, windowTokens });
    const messages = talk(20, (turn) => `Question ${turn}: why? ${filler}`);
    let told = 0;
    for (let count = 1; count <= messages.length; count += 2) {
      const before = upstream.requests.length;
      const asked = { messages: messages.slice(0, count), isStreamed: false, maxTokens: 200 };
      await Promise.all(nodes.proxies.map((proxy) => askers['chat completions'](proxy.url, asked)));
      const bodies = upstream.requests.slice(before).map(({ bytes }) => bytes.toString());
      expect(bodies).toHaveLength(3);
      expect(new Set(bodies).size).toBe(1);
      if (bodies[0]?.includes('as told') === true) told += 1;
    }
    await upstream.stop();
    expect(told).toBeGreaterThan(5);
    // More than one has asked for a summary, and one counts.
    expect(calls).toBeGreaterThan(1);
    const [store] = nodes.stores;
    const { items } = (await store?.proxy.conversations.list({ owner: '' })) ?? { items: [] };
    expect(items).toMatchObject([{ requests: 60, length: messages.length }]);
  });
});
