import { createStrictUpstream, everyday, memoryFolder } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { memoryBlobs, openSqliteStore } from '@throughline/stores';
import { mkdtemp, rm } from 'node:fs/promises';
import { randomIds } from '@throughline/ports';
import { startProxy } from './start-proxy.ts';
import fc from 'fast-check';
import type { SessionStore } from '@throughline/ports';
import type { StartedProxy } from './start-proxy.ts';
import type { StrictUpstream } from '@throughline/testkit';

const windows = { small: 3_000, large: 4_200 } as const;
const sentence = 'The account was moved to the other ledger because the first one was closed. ';

/** What a client does next. */
interface Move {
  /** It goes on from the history that it sent so many requests before the last one. */
  readonly back: number;
  readonly does: 'answers' | 'shows' | 'asks again' | 'asks otherwise';
  readonly model: keyof typeof windows;
  readonly sentences: number;
  /** Which of three is asked. */
  readonly node: number;
  /** What that one knows in memory is gone before it. */
  readonly restarts: boolean;
}

type Message = { readonly role: string; readonly content: string | null } & Readonly<Record<string, unknown>>;

interface Asked extends Pick<Move, 'model' | 'node' | 'restarts'> {
  readonly messages: readonly Message[];
}

type Next = (from: readonly Message[], text: string) => readonly Message[];

const tool = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } };

const nexts: Readonly<Record<Move['does'], Next>> = {
  answers: (from, content) => [
    ...from,
    { role: 'assistant', content: `It was, as ${from.length} says.` },
    { role: 'user', content },
  ],
  shows: (from, content) => {
    const id = `call_${from.length}`;
    const call = { id, type: 'function', function: { name: 'read', arguments: `{"at":${from.length}}` } };
    return [
      ...from,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content },
    ];
  },
  'asks again': (from) => from,
  'asks otherwise': (from, content) => [
    ...from.slice(0, -1),
    ...from.slice(-1).map((last) => ({ ...last, content })),
  ],
};

/** The requests of a client who moves so. */
function asksOf(moves: readonly Move[]): readonly Asked[] {
  const sent: (readonly Message[])[] = [];
  return moves.map(({ back, does, sentences, ...asked }, at): Asked => {
    const text = `Number ${at}: why? ${sentence.repeat(sentences)}`;
    const from = sent.at(-1 - back) ?? sent[0];
    const messages = from ? nexts[does](from, text) : [{ role: 'user', content: text }];
    sent.push(messages);
    return { ...asked, messages };
  });
}

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    back: fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.integer({ min: 0, max: 4 })),
    does: fc.oneof(
      { arbitrary: fc.constantFrom('answers' as const, 'shows' as const), weight: 3 },
      fc.constantFrom('asks again' as const, 'asks otherwise' as const),
    ),
    model: fc.oneof({ arbitrary: fc.constant('small' as const), weight: 6 }, fc.constant('large' as const)),
    sentences: fc.integer({ min: 1, max: 30 }),
    node: fc.nat(2),
    restarts: fc.boolean(),
  }),
  { minLength: 12, maxLength: 28, size: 'max' },
);

/** How an upstream refuses what is too large: by its window, or by the bytes of a request and without a number. */
type Refusing = 'with its window' | 'without a number';

const mostBytes = 9_000;

async function startUpstream(refusing: Refusing): Promise<StrictUpstream> {
  if (refusing === 'with its window') return await createStrictUpstream({ windowTokens: { ...windows } });
  const refusal = { status: 400, message: 'The prompt is too long.' };
  return await createStrictUpstream({
    failures: ({ bytes }) => (bytes.byteLength > mostBytes ? { refusal } : undefined),
  });
}

interface Node {
  readonly store: SessionStore;
  readonly proxy: StartedProxy;
}

interface Setting {
  readonly refusing: Refusing;
  readonly nodes: number;
  readonly restarts: boolean;
}

interface Told {
  /** What the upstream was sent, and with what status it answered. */
  readonly sent: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of each request. */
async function toldOf(asks: readonly Asked[], setting: Setting): Promise<readonly Told[]> {
  const folder = await mkdtemp(join(memoryFolder(), 'same-state-'));
  const upstream = await startUpstream(setting.refusing);
  // Two that begin within a second may be one that was asked of two processes.
  let nowMs = 1_700_000_000_000;
  const clock = { nowMs: () => nowMs };
  const start = async (): Promise<Node> => {
    const file = join(folder, 'store.db');
    const store = await openSqliteStore({ file, blobs: memoryBlobs(), clock, ids: randomIds });
    const services = { store: store.proxy, clock, sharesStore: setting.nodes > 1 };
    return { store, proxy: await startProxy(`${upstream.url}/v1`, { services }) };
  };
  const running = await Promise.all(Array.from({ length: setting.nodes }, start));
  const told: Told[] = [];
  for (const { model, messages, node, restarts } of asks) {
    const at = node % setting.nodes;
    if (setting.restarts && restarts) {
      await stop(running[at] as Node);
      running[at] = await start();
    }
    nowMs += 60_000;
    const before = upstream.requests.length;
    const body = JSON.stringify({ model, messages, max_tokens: 300, tools: [tool] });
    const { url } = (running[at] as Node).proxy;
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
    await answer.text();
    told.push({
      sent: upstream.requests.slice(before).map(({ status, bytes }) => `${status} ${bytes.toString()}`),
      headers: Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('x-context-'))),
    });
  }
  await Promise.all(running.map(stop));
  await upstream.stop();
  await rm(folder, { recursive: true });
  return told;
}

async function stop({ store, proxy }: Node): Promise<void> {
  await proxy[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
}

describe.each<Refusing>(['with its window', 'without a number'])(
  'of an upstream that refuses %s',
  (refusing) => {
    it.each([
      ['one that is started again in between', { nodes: 1, restarts: true }],
      ['three that share a store', { nodes: 3, restarts: false }],
      ['three that share a store and are started again in between', { nodes: 3, restarts: true }],
    ])('%s give the same bytes and figures as one alone', async (_, setting) => {
      const seen = { replayed: 0, compacted: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(moves, async (drawn) => {
          const asks = asksOf(drawn);
          const alone = await toldOf(asks, { refusing, nodes: 1, restarts: false });
          const other = await toldOf(asks, { refusing, ...setting });
          expect(other).toEqual(alone);
          for (const { sent, headers } of alone) {
            if (headers['x-context-action'] === 'replayed') seen.replayed += 1;
            if (headers['x-context-action'] === 'compacted') seen.compacted += 1;
            if (sent.length > 1) seen.refused += 1;
          }
        }),
        { numRuns: 30, plugins: [everyday(2)], endOnFailure: true },
      );
      expect(seen.replayed).toBeGreaterThan(1);
      expect(seen.compacted).toBeGreaterThan(1);
      expect(seen.refused).toBeGreaterThan(0);
    });
  },
);
