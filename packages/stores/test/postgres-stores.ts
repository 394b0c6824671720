import { Pool } from 'pg';
import { testPostgres } from '@throughline/testkit';
import { countingIds, scriptedClock } from '../src/contract/test-store.ts';
import { openPostgresStore } from '../src/postgres/open-postgres-store.ts';
import type { BlobStore, SessionStore } from '@throughline/ports';
import type { TestPostgres } from '@throughline/testkit';
import type { OpenedStore, OpenStore } from '../src/contract/test-store.ts';

/** A database of its own for a file of tests, on the server of the test run. */
export interface TestDatabase extends AsyncDisposable {
  readonly server: TestPostgres;
  readonly url: string;
  /** With every right, on this database. */
  readonly pool: Pool;
  /** Two stores that are open at once have a schema each. */
  readonly open: OpenStore;
  /** The same with blobs elsewhere. */
  readonly openWith: (blobs: () => TestBlobs) => OpenStore;
}

/** Where the blobs of one store are. */
export interface TestBlobs {
  readonly store: BlobStore;
  /** The hashes of all that are there. */
  readonly list: () => Promise<readonly string[]>;
}

/** @returns a sentence where there is no Postgres */
export async function openTestDatabase(name: string): Promise<TestDatabase | string> {
  const server = await testPostgres();
  if (typeof server === 'string') return server;
  const admin = new Pool({ connectionString: server.url, max: 1 });
  const database = `${name}_${process.pid}`;
  await admin.query(`create database ${database} template template0 encoding 'UTF8'`);
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  const pool = new Pool({ connectionString: url.href, max: 2 });
  // Its last connections may still be closing when the database is dropped.
  pool.on('error', () => {});
  const schemas = new Schemas(pool);
  return {
    server,
    url: url.href,
    pool,
    open: () => openOn({ url: url.href, pool, schemas }),
    openWith: (blobs) => () => openOn({ url: url.href, pool, schemas, blobs: blobs() }),
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await admin.query(`drop database ${database} with (force)`);
      await admin.end();
    },
  };
}

/** Tables are emptied and used again: to make them takes longer than most tests. */
class Schemas {
  readonly #pool: Pool;
  readonly #free: string[] = [];
  #count = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  take(): string {
    return this.#free.pop() ?? `tests_${(this.#count += 1)}`;
  }

  async giveBack(schema: string): Promise<void> {
    const tables = ['sessions', 'grants', 'blobs', 'blob_bytes', 'texts', 'owner_usage', 'settings'];
    const ofProxy = ['conversations', 'passes', 'messages', 'scopes', 'limits'].map((one) => `proxy_${one}`);
    await this.#pool.query([...tables, ...ofProxy].map((one) => `delete from ${schema}.${one};`).join(' '));
    this.#free.push(schema);
  }
}

interface Opening {
  readonly url: string;
  readonly pool: Pool;
  readonly schemas: Schemas;
  /** @default in the database */
  readonly blobs?: TestBlobs;
}

async function openOn({ url, pool, schemas, blobs }: Opening): Promise<OpenedStore> {
  const clock = scriptedClock();
  const ids = countingIds();
  const schema = schemas.take();
  const opened: SessionStore[] = [];
  const again = async (): Promise<SessionStore> => {
    const elsewhere = blobs ? { blobs: blobs.store } : {};
    const store = await openPostgresStore({ url, schema, clock, ids, connections: 3, ...elsewhere });
    opened.push(store);
    return store;
  };
  return {
    store: await again(),
    clock,
    again,
    blobs: async () => {
      if (blobs) return blobs.list();
      const { rows } = await pool.query<{ hash: string }>(`select hash from ${schema}.blob_bytes`);
      return rows.map(({ hash }) => hash);
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await schemas.giveBack(schema);
    },
  };
}
