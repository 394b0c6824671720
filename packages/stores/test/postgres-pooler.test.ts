import { afterAll, describe, expect, it } from 'vitest';
import { startOwnPooler } from '@throughline/testkit';
import { lookAtPostgres } from '../src/postgres/look-at-postgres.ts';
import { openPostgresStore } from '../src/postgres/open-postgres-store.ts';
import { openTestDatabase } from './postgres-stores.ts';
import type { SessionStore } from '@throughline/ports';
import type { OwnPooler } from '@throughline/testkit';

const database = await openTestDatabase('pooler');
const isThere = typeof database !== 'string';
const port = isThere ? Number(new URL(database.url).port) : 0;
// One that refuses what is said of a connection, and one that takes it and keeps it to itself.
const refusing = isThere ? await startOwnPooler({ port, connections: 2 }) : database;
const ignored = 'options,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits';
const ignoring = isThere
  ? await startOwnPooler({ port, connections: 2, settings: { ignore_startup_parameters: ignored } })
  : database;

afterAll(async () => {
  for (const one of [refusing, ignoring]) if (typeof one !== 'string') await one[Symbol.asyncDispose]();
  if (isThere) await database[Symbol.asyncDispose]();
});

const kinds: readonly (readonly [string, OwnPooler | string])[] = [
  ['that refuses what is said of a connection', refusing],
  ['that keeps it to itself', ignoring],
];

describe.each(kinds)('behind a pooler that hands connections round, one %s', (_, pooler) => {
  if (!isThere || typeof pooler === 'string') {
    it.skip(typeof pooler === 'string' ? pooler : 'There is no Postgres.');
    return;
  }
  const url = new URL(database.url);
  url.port = String(pooler.port);
  const schema = pooler === refusing ? 'refusing' : 'ignoring';
  const bytes = new TextEncoder().encode('bytes');

  const work = async (store: SessionStore, name: string): Promise<readonly string[]> => {
    const { id } = await store.sessions.create({ title: name });
    const lease = await store.leases.acquire(id, name, 60_000);
    for (let turn = 0; turn < 5; turn += 1) await store.journal.append(id, [{ type: name, data: turn }]);
    await store.attachments.keep(id, bytes, 'text/plain');
    if (lease) await store.leases.release(lease);
    return (await store.journal.after(id, 0)).map(({ type }) => type);
  };

  it('two stores work on one database beside each other, and say that they see no crash', async () => {
    const notices: string[] = [];
    const onNotice = (sentence: string): void => void notices.push(sentence);
    const open = (): Promise<SessionStore> => openPostgresStore({ url: url.href, schema, onNotice });
    // Both make the tables.
    const stores = await Promise.all([open(), open()]);
    const names = Array.from({ length: 8 }, (__, index) => `session-${index}`);
    const told = await Promise.all(names.flatMap((name) => stores.map((store) => work(store, name))));
    expect(told).toEqual(names.flatMap((name) => stores.map(() => Array.from({ length: 5 }, () => name))));
    expect((await stores[0].sessions.list({ limit: 50 })).items).toHaveLength(16);
    expect(notices).toHaveLength(2);
    expect(notices[0]).toContain('pooler');
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  });

  it('it is looked at as any other', async () => {
    expect(await lookAtPostgres({ url: url.href, schema })).toMatchObject({ mayCreate: true });
    const store = await openPostgresStore({ url: url.href, schema, onNotice: () => {} });
    expect(await store.fleet?.()).toMatchObject({ hasCrashDetector: false, leasedSessions: 0 });
    await store[Symbol.asyncDispose]();
  });
});
