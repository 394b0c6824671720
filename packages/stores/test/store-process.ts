// A process that works on a store, for tests that kill it or run several at once.
import { join } from 'node:path';
import { writeSync } from 'node:fs';
import { crashWork } from './crash-work.ts';
import { proxyWork } from './proxy-work.ts';
import { folderBlobs, openSqliteStore } from '../src/index.ts';
import type { SessionStore } from '@throughline/ports';

const [mode = '', folder = '', who = '', amount = '0'] = process.argv.slice(2);
const sessionId = 's';

/** Said once it is stored. Written at once: what is in a buffer dies with the process. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

async function open(nowMs: () => number): Promise<SessionStore> {
  let ids = 0;
  if (folder.startsWith('postgres://')) return openOnPostgres(nowMs);
  return openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
    clock: { nowMs },
    ids: { nextId: (kind) => `${kind}-${who}-${process.pid}-${(ids += 1)}` },
    lockTimeoutMs: 20_000,
  });
}

/** `folder`: its address, with the schema behind it. */
async function openOnPostgres(nowMs: () => number): Promise<SessionStore> {
  const { openPostgresStore } = await import('../src/postgres/open-postgres-store.ts');
  const [url = '', schema = ''] = folder.split('?schema=');
  let ids = 0;
  return openPostgresStore({
    url,
    schema,
    clock: { nowMs },
    ids: { nextId: (kind) => `${kind}-${who}-${process.pid}-${(ids += 1)}` },
    connections: 3,
  });
}

/** Compacts, streams and delivers until it is killed. `amount`: its clock, behind the end of all former leases. */
async function workUntilKilled(): Promise<void> {
  const store = await open(() => Number(amount));
  for await (const line of crashWork(store, who)) say(line);
}

/** Counts a number up under the lease, in two writes that another process must not come between. */
async function countUp(): Promise<void> {
  const store = await open(() => Date.now());
  await store.sessions.create({ id: sessionId }).catch(() => undefined);
  for (let done = 0; done < Number(amount);) {
    await store.inbox.accept(sessionId, { content: who });
    const lease = await store.leases.acquire(sessionId, who, 60_000);
    if (!lease) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      continue;
    }
    const count = Number(await store.value(sessionId, 'count'));
    await store.write(lease, [{ type: 'value', name: 'runner', value: who }]);
    await new Promise((resolve) => setImmediate(resolve));
    const runner = await store.value(sessionId, 'runner');
    if (runner !== who) throw new Error(`${who} found ${JSON.stringify(runner)} at work`);
    await store.write(lease, [
      { type: 'value', name: 'count', value: count + 1 },
      { type: 'event', event: { type: 'counted', data: who } },
    ]);
    await store.leases.release(lease);
    done += 1;
  }
  await store[Symbol.asyncDispose]();
  say('done');
}

/** Takes a lease for a minute, and sits on it. */
async function holdUntilKilled(): Promise<void> {
  const store = await open(() => Date.now());
  await store.sessions.create({ id: sessionId });
  const lease = await store.leases.acquire(sessionId, who, 60_000);
  say(lease ? 'held' : 'refused');
  setInterval(() => void store.sessions.read(sessionId), 1_000);
}

/** Keeps what a proxy would until it is killed. */
async function proxyUntilKilled(): Promise<void> {
  const store = await open(() => Date.now());
  for await (const line of proxyWork(store.proxy, who)) say(line);
}

const modes: Readonly<Record<string, () => Promise<void>>> = {
  work: workUntilKilled,
  count: countUp,
  hold: holdUntilKilled,
  proxy: proxyUntilKilled,
};
await modes[mode]?.();
