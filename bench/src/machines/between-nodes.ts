import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresStore } from '@throughline/stores/postgres';
import { benchAgent } from '../agent/bench-agent.ts';
import { playedDriver } from '../agent/played-driver.ts';
import { start } from './processes.ts';
import type { AddressInfo, Socket } from 'node:net';
import type { Agent } from '@throughline/agent';
import type { Wish } from './other-node.ts';

interface Between {
  readonly name: string;
  readonly ms: readonly number[];
}

const otherProgram = join(import.meta.dirname, 'other-node.ts');
const [kills, cuts, cancels, events, subscribers] = [20, 6, 30, 500, 1_000];

/** How soon a node goes on with what another has left, and learns of what another does. */
export async function measureBetween(url: string): Promise<readonly Between[]> {
  const store = await openPostgresStore({ url });
  const agent = benchAgent(store, { driver: playedDriver(() => ({ pieces: ['Done.'] })) });
  const taken = new Expected();
  const watch = agent.watch({ onTaken: (ids) => ids.forEach((id) => taken.come(id)) });
  const figures = [
    { name: 'gone on with after kill -9', ms: await repeat(kills, () => killed(url, taken)) },
    { name: 'gone on with after its line was cut', ms: await repeat(cuts, () => cutOff(url, taken)) },
    { name: 'cancelled from another node, and told its end', ms: await cancelled(url, agent) },
    { name: 'an answer, until the tool of another node begins', ms: await answered(url, agent) },
    { name: `told of an event, with ${subscribers} subscribers`, ms: await told(url, agent) },
  ];
  await watch[Symbol.asyncDispose]();
  await agent.stop();
  await store[Symbol.asyncDispose]();
  return figures;
}

/** What is waited for by a name. */
class Expected {
  readonly #waiting = new Map<string, () => void>();

  until(name: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }

  come(name: string): void {
    this.#waiting.get(name)?.();
  }
}

async function repeat(times: number, once: () => Promise<number>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) all.push(await once());
  return all;
}

async function openOther(url: string) {
  const child = start(otherProgram, [url]);
  await child.next();
  return {
    ...child,
    ask: async (wish: Wish): Promise<string> => {
      child.tell(wish);
      return await child.next<string>();
    },
  };
}

async function killed(url: string, taken: Expected): Promise<number> {
  const other = await openOther(url);
  const coming = taken.until(await other.ask({ type: 'begin' }));
  await sleep(200 + Math.random() * 800);
  const before = performance.now();
  other.kill();
  await coming;
  return performance.now() - before;
}

/** A way to a port of this machine that can be made silent: both ends keep their connections and hear nothing more. */
async function openLine(port: number) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void to.write(bytes));
      from.on('error', () => {});
      if (isSilent) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function cutOff(url: string, taken: Expected): Promise<number> {
  const line = await openLine(Number(new URL(url).port));
  const through = new URL(url);
  through.port = String(line.port);
  const other = await openOther(through.href);
  const coming = taken.until(await other.ask({ type: 'begin' }));
  await sleep(200 + Math.random() * 2_000);
  const before = performance.now();
  line.silence();
  await coming;
  const ms = performance.now() - before;
  other.kill();
  line.close();
  return ms;
}

async function cancelled(url: string, agent: Agent): Promise<readonly number[]> {
  const other = await openOther(url);
  const ms = await repeat(cancels, async () => {
    const session = await agent.open(await other.ask({ type: 'begin' }));
    const ended = Promise.withResolvers<void>();
    using _ = session.subscribe(({ type }) => {
      if (type === 'run:end') ended.resolve();
    });
    await sleep(100);
    const before = performance.now();
    await session.cancel();
    await ended.promise;
    return performance.now() - before;
  });
  await other.end();
  return ms;
}

/** From the answer to a question to the tool that waited for it. */
async function answered(url: string, agent: Agent): Promise<readonly number[]> {
  const other = await openOther(url);
  const ms = await repeat(cancels, async () => {
    const session = await agent.open(await other.ask({ type: 'ask' }));
    const ended = Promise.withResolvers<void>();
    using _ = session.subscribe(({ type }) => {
      if (type === 'run:end') ended.resolve();
    });
    const [request] = await session.approvals.pending();
    const before = performance.timeOrigin + performance.now();
    await session.approvals.answer(request?.id ?? '', { type: 'allow', scope: 'once' });
    await ended.promise;
    const { items } = await session.history();
    const began = items
      .flatMap(({ message }) => message.parts)
      .flatMap((part) => (part.type === 'result' ? part.content : []))
      .map((part) => (part.type === 'text' ? Number(part.text) : 0));
    return Math.max(0, (began[0] ?? 0) - before);
  });
  await other.end();
  return ms;
}

/** From the call that stores it to a subscriber of another process. */
async function told(url: string, agent: Agent): Promise<readonly number[]> {
  const other = await openOther(url);
  const sessions = await Promise.all(Array.from({ length: subscribers }, () => agent.create()));
  const ms: number[] = [];
  for (const session of sessions)
    session.subscribe(({ data }) => {
      const at: unknown = data;
      if (typeof at === 'number') ms.push(performance.timeOrigin + performance.now() - at);
    });
  await sleep(1_000);
  const sessionIds = sessions.slice(0, events).map(({ id }) => id);
  await other.ask({ type: 'tell', sessionIds, everyMs: 10 });
  await sleep(2_000);
  await other.end();
  return ms;
}
