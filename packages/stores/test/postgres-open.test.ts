import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { askedForPassword } from '@throughline/testkit';
import { lookAtPostgres } from '../src/postgres/look-at-postgres.ts';
import { openPostgresStore } from '../src/postgres/open-postgres-store.ts';
import { openDatabase } from '../src/sqlite/open-database.ts';
import { openTestDatabase } from './postgres-stores.ts';
import type { SessionStore } from '@throughline/ports';
import type { TestDatabase } from './postgres-stores.ts';

const database = await openTestDatabase('opening');

if (typeof database === 'string') {
  describe('opening a Postgres store', () => it.skip(database));
} else {
  afterAll(() => database[Symbol.asyncDispose]());
  describeOpening(database);
}

/** Without those of the index, which each database has of its own kind. */
function sqliteColumns(): readonly string[] {
  using sqlite = openDatabase(':memory:');
  const columns = sqlite.prepare(`
    select list.name || '.' || info.name as name
    from pragma_table_list as list join pragma_table_info(list.name) as info
    where list.schema = 'main' and list.type = 'table' and list.name not like 'sqlite_%'`);
  return columns
    .all()
    .map(({ name }) => String(name))
    .toSorted();
}

async function failureOf(opening: Promise<SessionStore>): Promise<unknown> {
  return opening.then(
    async (store) => {
      await store[Symbol.asyncDispose]();
      return 'opened';
    },
    (error: unknown) => error,
  );
}

function describeOpening({ url, pool, open }: TestDatabase): void {
  const at = (change: (address: URL) => void): string => {
    const address = new URL(url);
    change(address);
    return address.href;
  };
  const failed = (reason: string, said: RegExp) => ({
    code: 'store-failed',
    details: { reason },
    message: expect.stringMatching(said) as string,
  });

  describe('a Postgres that cannot be used', () => {
    it('is told by its reason and what to do where nobody answers', async () => {
      const nobody = at((address) => void (address.port = '1'));
      expect(await failureOf(openPostgresStore({ url: nobody }))).toMatchObject(
        failed('unreachable', /ECONNREFUSED.*See that the server runs/),
      );
    });

    it('is told without the password where it is wrong, or the database is not there', async () => {
      await pool.query(`create user ${askedForPassword} password 'right'`);
      const wrong = at((address) => {
        address.username = askedForPassword;
        address.password = 's3cret-word';
      });
      const error = await failureOf(openPostgresStore({ url: wrong }));
      expect(error).toMatchObject(
        failed('not-permitted', /password authentication failed.*user and password/),
      );
      expect(JSON.stringify(error) + String(error)).not.toContain('s3cret-word');
      const missing = at((address) => void (address.pathname = '/nowhere'));
      expect(await failureOf(openPostgresStore({ url: missing }))).toMatchObject(
        failed('not-permitted', /create database/),
      );
    });

    it('says which right is missing, and does without it where an administrator has made what is needed', async () => {
      await pool.query(`create user poor`);
      const url = at((address) => void (address.username = 'poor'));
      const openPoor = () => openPostgresStore({ url, schema: 'for_poor' });
      await pool.query('drop extension if exists pg_trgm cascade');
      expect(await failureOf(openPoor())).toMatchObject(failed('not-permitted', /create extension pg_trgm/));
      await pool.query('create extension pg_trgm');
      expect(await failureOf(openPoor())).toMatchObject(failed('not-permitted', /right to create a schema/));
      await pool.query('create schema for_poor authorization poor');
      expect(await failureOf(openPoor())).toBe('opened');
    });

    it('is told by its reason where it lets in no more', async () => {
      await pool.query(`create user lonely connection limit 1`);
      await pool.query('create schema for_lonely authorization lonely');
      const url = at((address) => void (address.username = 'lonely'));
      await using store = await openPostgresStore({ url, schema: 'for_lonely' });
      expect(await failureOf(openPostgresStore({ url, schema: 'for_lonely' }))).toMatchObject(
        failed('no-connection-free', /store.connections/),
      );
      // Who is open already waits for a connection of its own to become free.
      const lists = await Promise.all([1, 2, 3].map(() => store.sessions.list()));
      expect(lists.map(({ items }) => items)).toEqual([[], [], []]);
    });

    it('is left as it is where the schema is another program’s, or of a newer version', async () => {
      await pool.query('create schema foreign_tables; create table foreign_tables.letters (text text)');
      expect(await failureOf(openPostgresStore({ url, schema: 'foreign_tables' }))).toMatchObject(
        failed('not-a-store', /tables of another program/),
      );
      expect(await failureOf(openPostgresStore({ url, schema: 'newer' }))).toBe('opened');
      await pool.query('update newer.store_version set version = 1000');
      expect(await failureOf(openPostgresStore({ url, schema: 'newer' }))).toMatchObject({
        code: 'store-version',
        details: { storedVersion: 1000 },
      });
    });

    it('refuses an address that is none, without showing it', async () => {
      for (const wrong of ['mysql://a:s3cret-word@b/c', 's3cret-word']) {
        const error = await failureOf(openPostgresStore({ url: wrong }));
        expect(error).toMatchObject({ code: 'invalid-option', details: { option: 'url' } });
        expect(JSON.stringify(error) + String(error)).not.toContain('s3cret-word');
      }
    });
  });

  describe('a Postgres store', () => {
    it('has the columns that the SQLite store has', async () => {
      await using store = await openPostgresStore({ url, schema: 'columns' });
      await store.sessions.list();
      const { rows } = await pool.query<{ name: string }>(
        `select table_name || '.' || column_name as name from information_schema.columns
         where table_schema = 'columns' and table_name not in ('blob_bytes', 'store_version', 'texts')`,
      );
      expect(rows.map(({ name }) => name).toSorted()).toEqual(sqliteColumns());
    });

    it('goes on where its connections were cut while nobody used them', async () => {
      await using opened = await open();
      await opened.store.sessions.create({ id: 's' });
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'throughline' and datname = $1`,
        [new URL(url).pathname.slice(1)],
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await opened.store.sessions.read('s')).toMatchObject({ id: 's' });
    });

    it('does again what was cut off before it was stored', async () => {
      await using store = await openPostgresStore({ url, schema: 'cut_off' });
      await store.sessions.create({ id: 's' });
      const another = await pool.connect();
      await another.query('begin');
      await another.query('select from cut_off.sessions for update');
      const renamed = store.sessions.rename('s', 'once more');
      const ofWaiting = `from pg_stat_activity where application_name = 'throughline' and wait_event_type = 'Lock'
        and datname = current_database()`;
      await expect.poll(async () => (await pool.query(`select pid ${ofWaiting}`)).rows).toHaveLength(1);
      await pool.query(`select pg_terminate_backend(pid) ${ofWaiting}`);
      await another.query('commit');
      another.release();
      await renamed;
      expect(await store.sessions.read('s')).toMatchObject({ title: 'once more' });
    });

    it('tells the time of the database, whatever this machine takes it for', async () => {
      await using store = await openPostgresStore({ url, schema: 'timed' });
      const before = Number((await pool.query(`select extract(epoch from now()) * 1000 as ms`)).rows[0].ms);
      const { createdAtMs } = await store.sessions.create({ id: 's' });
      expect(Math.abs(createdAtMs - before)).toBeLessThan(60_000);
      expect(Number.isSafeInteger(createdAtMs)).toBe(true);
    });

    it('says how far its clock is from that of this machine', async () => {
      const { clockAheadMs } = await lookAtPostgres({ url });
      expect(Math.abs(clockAheadMs)).toBeLessThan(60_000);
      const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
      onTestFinished(() => now.mockRestore());
      const { clockAheadMs: behindMs } = await lookAtPostgres({ url });
      expect(Math.abs(behindMs + 600_000)).toBeLessThan(60_000);
    });

    it('finds short texts that JSON writes otherwise, and small letters for great ones in any script', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.sessions.create({ id: 's' });
      const lease = await store.leases.acquire('s', 'test', 60_000);
      if (!lease) throw new Error('expected a lease');
      const text = 'say "a\nb", C:\\temp\\x, 100%, ÄRGER, 東京都の天気, src/kit/index_terms.ts';
      const message = { id: 'm', role: 'user', parts: [{ type: 'text', text }] } as const;
      await store.write(lease, [{ type: 'message', message }]);
      const found = [
        'a\n',
        '"a',
        ':\\',
        '0%',
        'ärg',
        '京都',
        '東京都の',
        'INDEX_terms',
        'kit/ind',
        'temp\\x',
      ];
      for (const query of found)
        expect([query, await store.history.search('s', query)]).toEqual([query, [expect.anything()]]);
      for (const query of ['a"', 'C_temp', '1%0', 'index.terms'])
        expect(await store.history.search('s', query)).toEqual([]);
    });

    it('keeps a blob that a session comes to refer to while it is swept', async () => {
      await using opened = await open();
      const { store } = opened;
      const other = await opened.again();
      const bytes = new TextEncoder().encode('the same bytes for all');
      await store.sessions.create({ id: 'stays' });
      for (let round = 0; round < 10; round += 1) {
        await store.sessions.create({ id: 'goes' });
        await store.attachments.keep('goes', bytes);
        const [hash] = await Promise.all([
          other.attachments.keep('stays', bytes),
          store.sessions.delete('goes'),
        ]);
        expect(await other.attachments.read('stays', hash)).toEqual(bytes);
        await store.sessions.delete('stays');
        await store.sessions.create({ id: 'stays' });
      }
    });
  });
}
