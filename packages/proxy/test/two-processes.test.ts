import { createServer } from 'node:http';
import { createStrictUpstream, everyday } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { join } from 'node:path';
import { memoryBlobs, openMemoryStore, openSqliteStore } from '@throughline/stores';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { randomIds, systemClock } from '@throughline/ports';
import { startProxy } from './start-proxy.ts';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import type { AddressInfo } from 'node:net';
import type { SessionStore } from '@throughline/ports';
import type { StartedProxy } from './start-proxy.ts';

const windowTokens = 4_000;
/** Of a prompt, beside its answer. */
const roomTokens = 2_200;
const sentence = 'The account was moved to the other ledger because the first one was closed. ';
/** Of our estimate: who has heard this count finds twice as large what others find half as large. */
const usualCharacters = 2.5;

/** Turns of one talk, the user's last. */
const historyOf = (turns: number): readonly object[] =>
  Array.from({ length: 2 * turns - 1 }, (_, at) =>
    at % 2 === 0
      ? { role: 'user', content: `Question ${at / 2}: why? ${sentence.repeat(8)}` }
      : { role: 'assistant', content: `It was, ${at}.` },
  );

interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** Bodies that came, oldest first. */
  readonly bodies: string[];
}

/** One that takes everything, and counts more tokens than anybody would estimate. */
async function startUpstream(charactersPerToken: number): Promise<Upstream> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      const usage = { prompt_tokens: Math.ceil(body.length / charactersPerToken), completion_tokens: 3 };
      const message = { role: 'assistant', content: 'It was.' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ id: 'a', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Step {
  readonly turns: number;
  /** Whom it is asked: at the same moment, where it is both. */
  readonly processes: readonly (0 | 1)[];
  /** What they know in memory is gone before it. */
  readonly restarts: readonly (0 | 1)[];
}

const some = fc.constantFrom([0], [1], [0, 1]) as fc.Arbitrary<readonly (0 | 1)[]>;
/** Histories that clients send: the next turn, or one of the last turns again. */
const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      back: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.integer({ min: 1, max: 4 })),
      processes: some,
      restarts: fc.oneof({ arbitrary: fc.constant([]), weight: 4 }, some),
    }),
    { minLength: 16, maxLength: 32, size: 'max' },
  )
  .map((drawn) => {
    let last = 0;
    return drawn.map(({ back, ...step }): Step => {
      if (back === 0) last += 1;
      return { turns: Math.max(1, last - Math.max(0, back - 1)), ...step };
    });
  });

interface Running {
  readonly store: SessionStore;
  readonly proxy: StartedProxy;
}

/** How often a history was sent again, and how often in a shorter form, when these were asked. */
async function sentFor(
  steps: readonly Step[],
  charactersPerToken = usualCharacters,
): Promise<{ repeated: number; compacted: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'two-processes-'));
  const file = join(folder, 'store.db');
  await using upstream = await startUpstream(charactersPerToken);
  const start = async (): Promise<Running> => {
    const store = await openSqliteStore({ file, blobs: memoryBlobs(), clock: systemClock, ids: randomIds });
    return {
      store,
      proxy: await startProxy(upstream.url, { windowTokens, services: { store: store.proxy } }),
    };
  };
  const stop = async ({ store, proxy }: Running): Promise<void> => {
    await proxy[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  const running = [await start(), await start()];
  const sent = new Map<number, string>();
  const seen = { repeated: 0, compacted: 0 };
  try {
    for (const { turns, processes, restarts } of steps) {
      for (const at of restarts) {
        await stop(running[at] as Running);
        running[at] = await start();
      }
      const body = JSON.stringify({ model: 'm', messages: historyOf(turns) });
      const before = upstream.bodies.length;
      const ask = ({ proxy }: Running): Promise<string> =>
        fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body }).then((answer) => answer.text());
      await Promise.all(processes.map((at) => ask(running[at] as Running)));
      const bodies = upstream.bodies.slice(before).toSorted((one, other) => one.length - other.length);
      const [shortest = ''] = bodies;
      const known = sent.get(turns);
      if (known !== undefined) seen.repeated += bodies.length;
      seen.compacted += bodies.filter((bytes) => bytes !== body).length;
      // What the upstream has counted to leave no room for an answer is made smaller by who has heard it.
      const isTooLarge = known !== undefined && known.length / charactersPerToken > roomTokens;
      if (!isTooLarge) expect(new Set([...bodies, known ?? shortest]).size).toBe(1);
      sent.set(turns, shortest);
    }
  } finally {
    await Promise.all(running.map(stop));
    await rm(folder, { recursive: true });
  }
  return seen;
}

it('two that decide at the same moment and count differently send the same', async () => {
  // The first one hears how the upstream counts.
  const steps: Step[] = Array.from({ length: 20 }, (_, at) => ({
    turns: at + 1,
    processes: at < 5 ? [0] : [0, 1],
    restarts: at < 5 ? [] : [1],
  }));
  expect((await sentFor(steps)).compacted).toBeGreaterThan(4);
});

it('what is made of a shorter history afterwards changes nothing of the longer ones that went out', async () => {
  const steps: readonly Step[] = [
    { turns: 9, processes: [1], restarts: [] },
    ...[1, 2, 3, 4].map((turns): Step => ({ turns, processes: [0], restarts: [] })),
    // What the other one has written down is there when its turn has ended.
    { turns: 8, processes: [0], restarts: [1] },
    { turns: 9, processes: [1], restarts: [0, 1] },
    { turns: 8, processes: [1], restarts: [0, 1] },
  ];
  expect(await sentFor(steps, 1.3)).toEqual({ repeated: 2, compacted: 2 });
});

it('what one hears of a history that another has asked in vain is known to both', async () => {
  const down = { raw: { status: 503, body: '{"error":{"message":"down"}}' } };
  const upstream = await createStrictUpstream({ windowTokens, failures: [down] });
  await using store = await openMemoryStore();
  const start = { windowTokens, services: { store: store.proxy, sharesStore: true } };
  await using one = await startProxy(`${upstream.url}/v1`, start);
  await using other = await startProxy(`${upstream.url}/v1`, start);
  const ask = async ({ url }: StartedProxy, turns: number): Promise<Headers> => {
    const body = JSON.stringify({ model: 'm', messages: historyOf(turns) });
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
    await answer.text();
    return answer.headers;
  };
  await ask(one, 3);
  await ask(other, 3);
  const headers = await ask(one, 4);
  await upstream.stop();
  expect(upstream.requests.map(({ status }) => status)).toEqual([503, 200, 200]);
  const counted = upstream.requests.at(-1)?.promptTokens ?? 0;
  const estimate = Number(headers.get('x-context-tokens-after'));
  expect(estimate / counted).toBeGreaterThan(0.95);
  expect(estimate / counted).toBeLessThan(1.05);
});

it('a history that was sent is sent as it was, by whom and when ever it is asked again', async () => {
  const seen = { repeated: 0, compacted: 0 };
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const { repeated, compacted } = await sentFor(drawn);
      seen.repeated += repeated;
      seen.compacted += compacted;
    }),
    { numRuns: 60, plugins: [everyday(2)], endOnFailure: true },
  );
  expect(seen.repeated).toBeGreaterThan(8);
  expect(seen.compacted).toBeGreaterThan(8);
});
