import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../src/postgres/open-postgres-store.ts';
import { openTestDatabase } from './postgres-stores.ts';
import type { FleetState, SessionStore } from '@throughline/ports';
import type { PostgresStoreOptions } from '../src/postgres/open-postgres-store.ts';

const database = await openTestDatabase('fleet');
const longMs = 600_000;

if (typeof database === 'string') describe('nodes on one Postgres', () => it.skip(database));
else {
  const { url, pool } = database;
  afterAll(() => database[Symbol.asyncDispose]());

  const node = async (options: Partial<PostgresStoreOptions> = {}): Promise<SessionStore> => {
    const store = await openPostgresStore({ url, connections: 3, ...options });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  const until = async <Value>(look: () => Promise<Value | undefined>): Promise<Value> => {
    for (let turn = 0; turn < 200; turn += 1) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(50);
    }
    throw new Error('It never came.');
  };
  const holderOf = async (id: string): Promise<string | null> => {
    const { rows } = await pool.query<{ lease_holder: string | null }>(
      'select lease_holder from throughline.sessions where id = $1',
      [id],
    );
    return rows[0]?.lease_holder ?? null;
  };

  it('a session of a process that was killed is free long before its lease has run out', async () => {
    const store = await node();
    const { id } = await store.sessions.create();
    const file = join(import.meta.dirname, 'node-process.ts');
    const child = spawn(process.execPath, ['--conditions=throughline-source', file, url, id], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(await store.leases.acquire(id, 'me', longMs)).toBeUndefined();
    let hasHeard = false;
    store.journal.onNews((sessionId) => {
      if (sessionId === undefined) hasHeard = true;
    });
    child.kill('SIGKILL');
    const lease = await until(() => store.leases.acquire(id, 'me', longMs));
    expect(lease.epoch).toBe(2);
    expect(hasHeard).toBe(true);
  });

  it('a node whose connection breaks goes on under a new name and loses no session', async () => {
    const [store, other] = [await node(), await node()];
    const { id } = await store.sessions.create();
    const lease = await store.leases.acquire(id, 'me', longMs);
    const before = await holderOf(id);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'throughline node' and datname = current_database()",
    );
    const after = await until(async () => {
      const name = await holderOf(id);
      return name === before ? undefined : name;
    });
    expect(after).toMatch(/^node_/);
    // Longer than it takes to believe that a node is dead.
    await sleep(800);
    expect(await other.leases.acquire(id, 'other', longMs)).toBeUndefined();
    expect(lease && (await store.leases.look(lease))).toBe('good');
  });

  it('a lease that names no living node is left to run out where the detector is off', async () => {
    const store = await node({ crashDetector: 'off' });
    const { id } = await store.sessions.create();
    await store.leases.acquire(id, 'me', longMs);
    expect(await holderOf(id)).toBeNull();
  });

  it('is told what another has stored, and not what it has stored itself', async () => {
    const [store, other] = [await node(), await node()];
    const { id } = await store.sessions.create();
    const heard: string[] = [];
    const own: string[] = [];
    other.journal.onNews((sessionId = '') => heard.push(sessionId));
    store.journal.onNews((sessionId = '') => own.push(sessionId));
    await store.journal.append(id, [{ type: 'x', data: null }]);
    await until(async () => (heard.includes(id) ? true : undefined));
    await sleep(200);
    expect(own).not.toContain(id);
  });

  it('is told of a session twenty times a second at the most, and once behind the last that was stored', async () => {
    const [store, other] = [await node(), await node()];
    const [busy, quiet] = [await store.sessions.create(), await store.sessions.create()];
    const heard: (string | undefined)[] = [];
    const last: number[] = [];
    other.journal.onNews((sessionId) => {
      heard.push(sessionId);
      if (sessionId === busy.id)
        void other.sessions.read(busy.id).then(({ lastEventSeq }) => last.push(lastEventSeq));
    });
    const before = performance.now();
    for (let turn = 0; turn < 60; turn += 1) {
      await store.journal.append(busy.id, [{ type: 'x', data: null }]);
      if (turn === 30) await store.journal.append(quiet.id, [{ type: 'x', data: null }]);
    }
    await until(() => Promise.resolve(last.includes(60) ? true : undefined));
    const told = heard.filter((sessionId) => sessionId === busy.id).length;
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThanOrEqual((performance.now() - before) / 50 + 2);
    expect(heard).toContain(quiet.id);
  });

  it('a session in which another works holds up no other that is written to in the same turn', async () => {
    const store = await node();
    const [one, two] = [await store.sessions.create(), await store.sessions.create()];
    const other = await pool.connect();
    await other.query('begin');
    await other.query('select from throughline.sessions where id = $1 for update', [one.id]);
    const stored: string[] = [];
    const rename = async (id: string): Promise<void> => {
      await store.sessions.rename(id, 'new');
      stored.push(id);
    };
    const first = rename(one.id);
    await rename(two.id);
    expect(stored).toEqual([two.id]);
    await other.query('rollback');
    other.release();
    await first;
    expect(stored).toEqual([two.id, one.id]);
  });

  it('tells how many processes there are, what they work on, and its own connections', async () => {
    const [store, other] = [await node(), await node()];
    const stateOf = async (one: SessionStore): Promise<FleetState> =>
      (await one.fleet?.()) ?? expect.unreachable();
    const before = await stateOf(store);
    const [held, given] = [await store.sessions.create(), await store.sessions.create()];
    await store.leases.acquire(held.id, 'me', longMs);
    const lease = await other.leases.acquire(given.id, 'me', longMs);
    expect(await stateOf(store)).toMatchObject({
      hasCrashDetector: true,
      leasedSessions: before.leasedSessions + 2,
    });
    if (lease) await other.leases.release(lease);
    expect((await stateOf(store)).leasedSessions).toBe(before.leasedSessions + 1);
    await other[Symbol.asyncDispose]();
    const gone = await until(async () => {
      const { nodes } = await stateOf(store);
      return nodes < before.nodes ? nodes : undefined;
    });
    expect(gone).toBe(before.nodes - 1);
    const { connections } = await stateOf(store);
    expect(connections.busy + connections.idle).toBeGreaterThan(0);
    expect(connections.wanted).toBe(0);
  });

  it('the time of leases is that of the database, whatever this process thinks', async () => {
    const [store, other] = [await node(), await node()];
    const { id } = await store.sessions.create();
    const now = performance.now.bind(performance);
    const lease = await store.leases.acquire(id, 'me', 5_000);
    // As behind a suspension: the clock that counts on has stood still, or another one runs ahead.
    performance.now = () => now() + 600_000;
    try {
      expect(await other.leases.acquire(id, 'other', 5_000)).toBeUndefined();
      expect(lease && (await store.leases.look(lease))).toBe('good');
      const renewed = lease && (await store.leases.renew(lease, 5_000));
      expect(renewed?.expiresAtMs).toBeLessThan((lease?.expiresAtMs ?? 0) + 60_000);
    } finally {
      performance.now = now;
    }
  });
}
