import { ContextError } from '@throughline/core';
import { asked, connect } from './connection/postgres-dialect.ts';
import { sqlState, storeFailed } from './connection/postgres-failure.ts';
import { postgresMigrations, trigramClass } from './tables.ts';
import type { Pool, PoolClient } from 'pg';

/** The oldest that the tests run on. */
const oldestServer = 15;
/** `thrl`: who makes the tables of a schema holds this lock. */
const migrationLock = 0x74_68_72_6c;

export interface SchemaAddress {
  /** Its address without user and password. */
  readonly store: string;
  readonly schema: string;
}

/**
 * Brings the tables to the newest version, or makes them. Of processes that begin at the same time one does it, and the
 * others wait for it.
 *
 * @throws {ContextError} `store-failed`, `store-version`
 */
export async function migrate(pool: Pool, place: SchemaAddress): Promise<void> {
  const client = await connect(pool);
  try {
    await requireServer(client, place);
    if ((await checkedVersion(client, place)) < newest()) await migrateOn(client, place);
  } finally {
    client.release();
  }
}

function newest(): number {
  return postgresMigrations.at(-1)?.version ?? 0;
}

async function requireServer(client: PoolClient, { store }: SchemaAddress): Promise<void> {
  const { version, encoding } = await one<{ version: string; encoding: string }>(
    client,
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding`,
  );
  if (Number.parseInt(version, 10) < oldestServer) {
    const advice = `The server is Postgres ${version}: it has to be ${oldestServer} or newer.`;
    throw storeFailed(store, { reason: 'server-too-old', advice });
  }
  if (encoding !== 'UTF8') {
    const advice = `The database keeps texts as ${encoding}: make one with "create database … encoding 'UTF8'".`;
    throw storeFailed(store, { reason: 'not-a-store', advice });
  }
}

/** The version of the tables; 0 where there are none. */
async function checkedVersion(client: PoolClient, { store, schema }: SchemaAddress): Promise<number> {
  const { versions, tables } = await one<{ versions: string | null; tables: number }>(
    client,
    `select to_regclass($1)::text as versions,
       (select count(*)::int from pg_tables where schemaname = $2) as tables`,
    [`${schema}.store_version`, schema],
  );
  if (versions === null && tables > 0) {
    const advice = `The schema ${schema} holds tables of another program: it was left as it is.`;
    throw storeFailed(store, { reason: 'not-a-store', advice });
  }
  if (versions === null) return 0;
  const { version: storedVersion } = await one<{ version: number }>(
    client,
    `select version::int as version from ${schema}.store_version`,
  );
  const supportedVersion = newest();
  if (storedVersion <= supportedVersion) return storedVersion;
  throw new ContextError(
    'store-version',
    `The store ${store} has version ${storedVersion}, and this program knows versions up to ${supportedVersion}: use a newer one.`,
    { store, storedVersion, supportedVersion },
  );
}

async function migrateOn(client: PoolClient, place: SchemaAddress): Promise<void> {
  await run(
    client,
    `begin isolation level read committed; set local lock_timeout = 0; set local search_path = ${place.schema}`,
  );
  try {
    await run(client, `select pg_advisory_xact_lock(${migrationLock})`);
    // Read again: another process may have done it while this one waited.
    const version = await checkedVersion(client, place);
    if (version < newest()) await applySteps(client, place, version);
    await run(client, 'commit');
  } catch (error) {
    await run(client, 'rollback').catch(() => undefined);
    throw error;
  }
}

async function applySteps(client: PoolClient, place: SchemaAddress, version: number): Promise<void> {
  const { schema } = place;
  const extension = await requireTrigrams(client, place);
  const { there } = await one<{ there: boolean }>(
    client,
    'select exists (select 1 from pg_namespace where nspname = $1) as there',
    [schema],
  );
  if (!there) await run(client, `create schema ${schema}`);
  const ownClass = `"${extension.replaceAll('"', '""')}".gin_trgm_ops`;
  for (const step of postgresMigrations)
    if (step.version > version)
      await run(
        client,
        step.sql.replaceAll(trigramClass, () => ownClass),
      );
  await run(client, `create table if not exists ${schema}.store_version (version bigint not null)`);
  await run(client, `delete from ${schema}.store_version`);
  await run(client, `insert into ${schema}.store_version (version) values (${newest()})`);
}

/** @returns the schema it is in */
async function requireTrigrams(client: PoolClient, { store }: SchemaAddress): Promise<string> {
  const known = await extensionSchema(client);
  if (known !== undefined) return known;
  try {
    await run(client, 'create extension pg_trgm schema public');
  } catch (error) {
    // Not there at all: Debian and others have it in a package of its own.
    if (!['42501', '0A000', '58P01'].includes(sqlState(error) ?? '')) throw error;
    const advice =
      'Search needs the extension pg_trgm, which comes with Postgres (on some systems as postgresql-contrib): ' +
      'have an administrator of the database run "create extension pg_trgm".';
    throw storeFailed(store, { reason: 'not-permitted', advice }, error);
  }
  return 'public';
}

async function extensionSchema(client: PoolClient): Promise<string | undefined> {
  const { rows } = await asked(
    client.query<{ name: string }>(
      `select nspname as name from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
       where extname = 'pg_trgm'`,
    ),
  );
  return rows[0]?.name;
}

async function one<Row extends object>(
  client: PoolClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  const { rows } = await asked(client.query<Row>(text, [...values]));
  const [row] = rows;
  if (!row) throw new TypeError(`No row came of: ${text}`);
  return row;
}

async function run(client: PoolClient, text: string): Promise<void> {
  await asked(client.query(text));
}
