/**
 * The process that is measured: a server, or the library alone, with a model that costs nothing. It does what the process
 * that makes the load tells it.
 */
import { createAdaptorServer } from '@hono/node-server';
import { createAiSdkDriver, createDemoDriver } from '@throughline/drivers';
import { createServer } from '@throughline/server';
import { Hono } from 'hono';
import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { streamText } from 'ai';
import { systemClock, systemTimer } from '@throughline/ports';
import { benchAgent, openFile, temporaryFolder } from '../agent/bench-agent.ts';
import { heapBytes } from '../engine/measure.ts';
import { piece, playedModel } from '../agent/played-model.ts';
import { playedDriver } from '../agent/played-driver.ts';
import type { AddressInfo } from 'node:net';
import type { Agent } from '@throughline/agent';
import type { Duty, Duties, ServedOptions } from './duties.ts';
import type { ModelDriver } from '@throughline/ports';
import type { Server } from 'node:http';

const { driver: driverName, parts } = JSON.parse(process.argv[2] ?? '{}') as ServedOptions;

/** One piece in each turn of the event loop: others have theirs in between. */
async function* pieces(): AsyncGenerator<string> {
  for (let index = 0; index < parts; index += 1) {
    yield piece;
    await setImmediate();
  }
}

const drivers: Readonly<Record<ServedOptions['driver'], () => ModelDriver>> = {
  demo: () => createDemoDriver({ timer: systemTimer, wordDelayMs: 0 }),
  played: () => playedDriver(() => ({ pieces: pieces() })),
  'ai-sdk': () => createAiSdkDriver({ languageModel: playedModel(parts) }),
};

const folder = temporaryFolder();
const store = await openFile(folder.path);
const driver = drivers[driverName]();
const agent: Agent = benchAgent(store, { driver });
const server = await createServer(
  { agent, models: { names: [driver.name], driverNamed: () => Promise.resolve(driver) }, clock: systemClock },
  { port: 0 },
);
const bare = await openBareRoute();

/** An AI SDK route on the same kind of server, which keeps nothing. */
async function openBareRoute(): Promise<{ readonly url: string; close(): void }> {
  const app = new Hono();
  app.post('/api/chat', async (c) => {
    const { prompt } = await c.req.json<{ prompt: string }>();
    return streamText({ model: playedModel(parts), prompt, maxRetries: 0 }).toUIMessageStreamResponse();
  });
  const http = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      http.closeAllConnections();
      http.close();
    },
  };
}

let isTelling = false;

const duties: Duties = {
  addresses: () => ({ server: server.address.url, bare: bare.url }),
  memory: () => ({ heapMB: heapBytes() / 1e6, residentMB: process.memoryUsage().rss / 1e6 }),
  createSessions: async ({ count }) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) ids.push((await agent.create()).id);
    return ids;
  },
  /** From a message to the first event that somebody who listens is told, one after the other. */
  firstEvents: async ({ count }) => {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const session = await agent.create();
      const first = Promise.withResolvers<void>();
      using _ = session.subscribe(() => first.resolve());
      const before = performance.now();
      await session.send('Say something.');
      await first.promise;
      times.push(performance.now() - before);
      await session.settled();
    }
    return times;
  },
  /** Sessions that stream at the same time, and somebody in this process who is told all of it. */
  streams: async ({ count }) => {
    const sessions = await Promise.all(Array.from({ length: count }, () => agent.create()));
    let events = 0;
    for (const session of sessions) session.subscribe(() => (events += 1));
    const before = performance.now();
    await Promise.all(sessions.map((session) => session.send('Speak.').then(() => session.settled())));
    return { ms: performance.now() - before, events };
  },
  /** Tells the time in the title of each of these sessions, in turn, so many in a second, until it is told to stop. */
  tellTime: async ({ ids, perSecond }) => {
    isTelling = true;
    const sessions = await Promise.all(ids.map((id) => agent.open(id)));
    void (async () => {
      const begun = performance.now();
      for (let told = 0; isTelling; told += 1) {
        await setTimeout(Math.max(0, begun + (told * 1_000) / perSecond - performance.now()));
        const session = sessions[told % sessions.length];
        await session?.rename(String(performance.timeOrigin + performance.now()));
      }
    })();
  },
  fill: async ({ id, events, size }) => {
    const session = await agent.open(id);
    for (let index = 0; index < events; index += 1) await session.rename('x'.repeat(size));
  },
  stopTelling: () => {
    isTelling = false;
  },
  stop: async () => {
    isTelling = false;
    bare.close();
    await server.stop();
    await agent[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  },
};

process.on('message', ({ id, name, request }: Duty) => {
  const perform = duties[name] as (given: unknown) => unknown;
  void Promise.resolve(perform(request)).then((result) => {
    process.send?.({ id, result });
    if (name === 'stop') process.disconnect();
  });
});
process.send?.({ id: 0 });
