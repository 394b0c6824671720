import { askers } from './askers.ts';
import { completeText, createStrictUpstream, memoryFolder } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { join } from 'node:path';
import { memoryBlobs, openSqliteStore } from '@throughline/stores';
import { mkdtemp, rm } from 'node:fs/promises';
import { randomIds, systemClock } from '@throughline/ports';
import { startProxy } from './start-proxy.ts';
import fc from 'fast-check';
import type { Driver, SessionStore } from '@throughline/ports';
import type { Said } from './askers.ts';
import type { StartedProxy } from './start-proxy.ts';

const windowTokens = 3_000;
const filler = 'The account was moved to the other ledger because the first one was closed. '.repeat(14);

/** One that never says the same twice: what two passes make of one history differs. */
function changingDriver(): Driver {
  let calls = 0;
  return {
    name: 'changing',
    complete: () => {
      calls += 1;
      return Promise.resolve(completeText(`## Completed Work\n- The account was moved, as told ${calls}.\n`));
    },
  };
}

/** Branches of one tree: turns that begin alike share their beginning. */
interface Ask {
  readonly process: 0 | 1;
  readonly credential: 'one' | 'other';
  readonly branch: 0 | 1 | 2;
  readonly turns: number;
  /** The process begins anew before it. */
  readonly restarts: boolean;
}

/** Where a branch parts from the first one. */
const partsAt = [Infinity, 3, 7] as const;

function historyOf({ branch, turns }: Ask): readonly Said[] {
  return Array.from({ length: turns }, (_, turn): Said[] => {
    const of = turn >= partsAt[branch] ? branch : 0;
    return [
      { role: 'user', text: `Question ${turn} of ${of}: why? ${filler}` },
      ...(turn < turns - 1 ? [{ role: 'assistant' as const, text: `It was, ${turn} of ${of}.` }] : []),
    ];
  }).flat();
}

const ask: fc.Arbitrary<Ask> = fc.record({
  process: fc.constantFrom(0, 1),
  credential: fc.constantFrom('one', 'one', 'one', 'other'),
  branch: fc.constantFrom(0, 1, 2),
  turns: fc.integer({ min: 1, max: 16 }),
  restarts: fc.nat(5).map((number) => number === 0),
});

interface Running {
  readonly store: SessionStore;
  readonly proxy: StartedProxy;
}

it('the same history gets the same bytes, whatever came between, after restarts and from two processes', async () => {
  const upstream = await createStrictUpstream({ windowTokens: 2 * windowTokens });
  const driver = changingDriver();
  const start = async (file: string): Promise<Running> => {
    const store = await openSqliteStore({ file, blobs: memoryBlobs(), clock: systemClock, ids: randomIds });
    const services = { store: store.proxy, summariserFor: () => driver };
    return { store, proxy: await startProxy(`${upstream.url}/v1`, { windowTokens, services }) };
  };
  const stop = async ({ store, proxy }: Running): Promise<void> => {
    await proxy[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  let compacted = 0;
  let repeated = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(ask, { minLength: 8, maxLength: 20 }), async (asks) => {
      const folder = await mkdtemp(join(memoryFolder(), 'same-bytes-'));
      const file = join(folder, 'store.db');
      const running = [await start(file), await start(file)];
      const sent = new Map<string, string>();
      try {
        for (const one of [...asks, ...asks.toReversed()]) {
          const at = running[one.process] as Running;
          if (one.restarts) {
            await stop(at);
            running[one.process] = await start(file);
          }
          const messages = historyOf(one);
          const { url } = (running[one.process] as Running).proxy;
          const headers = { 'x-api-key': one.credential };
          await askers['chat completions'](url, { messages, isStreamed: false, maxTokens: 200, headers });
          const body = upstream.requests.at(-1)?.bytes.toString() ?? '';
          const key = `${one.credential} ${JSON.stringify(messages)}`;
          if (sent.has(key)) repeated += 1;
          expect(body).toBe(sent.get(key) ?? body);
          sent.set(key, body);
          if (body.includes('as told')) compacted += 1;
          // What was said only in another branch, or after this history, is never in it.
          const told = [...body.matchAll(/Question (\d+) of (\d)/g)].map(([text]) => text);
          const said = new Set(messages.map(({ text }) => text.slice(0, text.indexOf(':'))));
          expect(told.filter((text) => !said.has(text))).toEqual([]);
        }
        const byCredential = new Map<string, Set<string>>();
        for (const [key, body] of sent)
          for (const [told] of body.matchAll(/as told \d+/g)) {
            const set = byCredential.get(told) ?? new Set();
            byCredential.set(told, set.add(key.split(' ')[0] ?? ''));
          }
        expect([...byCredential.values()].every((set) => set.size === 1)).toBe(true);
      } finally {
        await Promise.all(running.map(stop));
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 5, endOnFailure: true },
  );
  await upstream.stop();
  expect(upstream.faults).toEqual([]);
  expect(compacted).toBeGreaterThan(20);
  expect(repeated).toBeGreaterThan(40);
});

it('fifty conversations at once each get what they get alone', async () => {
  const upstream = await createStrictUpstream({ windowTokens: 2 * windowTokens });
  const folder = await mkdtemp(join(memoryFolder(), 'at-once-'));
  const store = await openSqliteStore({
    file: join(folder, 'store.db'),
    blobs: memoryBlobs(),
    clock: systemClock,
    ids: randomIds,
  });
  const talks = Array.from({ length: 50 }, (_, index) =>
    historyOf({ process: 0, credential: 'one', branch: 0, turns: 12, restarts: false }).map((said, at) =>
      at === 4 || at === 22 ? { ...said, text: `${said.text} Number ${index}.` } : said,
    ),
  );
  const bodiesOf = async (histories: readonly (readonly Said[])[], services: object) => {
    const before = upstream.requests.length;
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, services });
    const asked = (messages: readonly Said[]) =>
      askers['chat completions'](proxy.url, { messages, isStreamed: true, maxTokens: 200 });
    await Promise.all(histories.map(asked));
    return upstream.requests.slice(before).map(({ bytes }) => bytes.toString());
  };
  const together = new Set(await bodiesOf(talks, { store: store.proxy }));
  const alone: string[] = [];
  for (const messages of talks.filter((_, index) => index % 5 === 0))
    alone.push(...(await bodiesOf([messages], {})));
  expect(together.size).toBe(50);
  expect(alone.filter((body) => !together.has(body))).toEqual([]);
  await store[Symbol.asyncDispose]();
  await upstream.stop();
  await rm(folder, { recursive: true });
});
