import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { ask, bodyOf, readEvents } from './http-load.ts';
import { median, quantile } from '../engine/measure.ts';
import { serveApart } from './serve-apart.ts';
import type { Memory } from './duties.ts';
import type { Served } from './serve-apart.ts';
import type { Socket } from 'node:net';

interface ReaderFigures {
  readonly readers: number;
  readonly sessions: number;
  readonly eventsPerSecond: number;
  /** From before an event is stored until a reader in another process has it. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly received: number;
  /** The same with readers that have stopped reading; and the ratio of the two in the same round, median. */
  readonly stalledP95Ms: number;
  readonly stalledRatio: number;
}

const perSecond = 100;
const stalledReaders = 20;
const rounds = 5;
const roundMs = 3_000;

/** Readers of events on a few sessions, that are told the time; without and with others that stall. In turn. */
export async function measureReaders(readers: number, sessions: number): Promise<ReaderFigures> {
  await using served = await serveApart({ driver: 'played', parts: 0 });
  const ids = await served.tell('createSessions', { count: sessions });
  // More than the systems of both sides take for a reader that does not read.
  const [heavy = ''] = await served.tell('createSessions', { count: 1 });
  await served.tell('fill', { id: heavy, events: 400, size: 50_000 });
  let current: number[] = [];
  const open = await Promise.all(
    Array.from({ length: readers }, (_, index) =>
      readEvents(served.url, `/api/sessions/${ids[index % sessions]}/events`, (text) => {
        const now = performance.timeOrigin + performance.now();
        for (const [, told] of text.matchAll(/"title":"([\d.]+)"/g)) current.push(now - Number(told));
      }),
    ),
  );
  const all: number[] = [];
  const p95: number[] = [];
  const stalledP95: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    // Neither is always the first.
    const isFirst = round % 2 === 0;
    const before = isFirst ? undefined : await listen();
    const stalled = await stall(served, heavy);
    const withOthers = await listen();
    for (const socket of stalled) socket.destroy();
    const without = before ?? (await listen());
    if (round < 0) continue;
    all.push(...without);
    p95.push(quantile(without, 0.95));
    stalledP95.push(quantile(withOthers, 0.95));
  }
  for (const reader of open) reader.close();
  return {
    readers,
    sessions,
    eventsPerSecond: perSecond,
    p50Ms: median(all),
    p95Ms: quantile(all, 0.95),
    received: all.length,
    stalledP95Ms: median(stalledP95),
    stalledRatio: median(stalledP95.map((ms, index) => ms / (p95[index] ?? Number.NaN))),
  };

  async function listen(): Promise<readonly number[]> {
    const heard: number[] = [];
    current = heard;
    await served.tell('tellTime', { ids, perSecond });
    await setTimeout(roundMs);
    await served.tell('stopTelling');
    // What is still on its way.
    await setTimeout(300);
    current = [];
    return heard;
  }
}

/** Connections that ask for the events of a session and never read them. */
async function stall(served: Served, id: string): Promise<readonly Socket[]> {
  const { hostname, port, host } = new URL(served.url);
  const sockets = await Promise.all(
    Array.from({ length: stalledReaders }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.pause();
      socket.write(`GET /api/sessions/${id}/events HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      return socket;
    }),
  );
  // Until what fits is written, and the rest stays in the journal.
  await setTimeout(4_000);
  return sockets;
}

interface MemoryFigures {
  readonly requests: number;
  readonly reconnects: number;
  readonly before: Memory;
  readonly afterRequests: Memory;
  readonly afterReconnects: Memory;
}

/** What a server holds on to after many requests and many readers that came and went. */
export async function measureMemory(requests: number, reconnects: number): Promise<MemoryFigures> {
  await using served = await serveApart({ driver: 'played', parts: 0 });
  const ids = await served.tell('createSessions', { count: 50 });
  const request = async (index: number): Promise<unknown> =>
    bodyOf(await ask(served.url, { path: `/api/sessions/${ids[index % ids.length]}` }));
  const reconnect = async (index: number): Promise<void> => {
    const opened = Promise.withResolvers<void>();
    const path = `/api/sessions/${ids[index % ids.length]}/events`;
    const reader = await readEvents(served.url, path, () => opened.resolve());
    await opened.promise;
    reader.close();
  };
  await inParallel(Math.ceil(requests / 10), request);
  await inParallel(Math.ceil(reconnects / 10), reconnect);
  const before = await served.tell('memory');
  await inParallel(requests, request);
  const afterRequests = await served.tell('memory');
  await inParallel(reconnects, reconnect);
  // Connections that were reset are known to be gone a moment later.
  await setTimeout(500);
  return { requests, reconnects, before, afterRequests, afterReconnects: await served.tell('memory') };
}

/** So many, ten at a time. */
async function inParallel(count: number, perform: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await perform(next++);
  };
  await Promise.all(Array.from({ length: 10 }, worker));
}
