import { asked } from './connection/postgres-dialect.ts';
import { openPool, shownUrl } from './connection/open-pool.ts';
import { postgresFailure } from './connection/postgres-failure.ts';
import type { Pool } from 'pg';
import type { PostgresStoreOptions } from './open-postgres-store.ts';

/** What a Postgres says of itself. */
export interface PostgresFacts {
  /** Without user and password. */
  readonly address: string;
  readonly server: string;
  readonly user: string;
  /** Whether the user may make the tables, or change them where they are. */
  readonly mayCreate: boolean;
  /** The language by which it tells letters apart; for `C` letters are those of ASCII. */
  readonly letterCase: string;
  /** How many connections it still takes. */
  readonly freeConnections: number;
  /** How far its clock is before this machine's, in milliseconds; behind it, it is negative. */
  readonly clockAheadMs: number;
  /** Settings by which it may lose what it has said to have stored, when it or its machine crashes. */
  readonly unsafeSettings: readonly string[];
}

const lookTimeoutMs = 5_000;

/**
 * Looks at a database, and makes nothing in it.
 *
 * @throws {ContextError} `invalid-option`, `store-failed`
 */
export async function lookAtPostgres({
  url,
  schema = 'throughline',
}: Pick<PostgresStoreOptions, 'url' | 'schema'>): Promise<PostgresFacts> {
  const address = shownUrl(url);
  let pool: Pool | undefined;
  try {
    ({ pool } = await openPool({ url, schema, connections: 1, lockTimeoutMs: lookTimeoutMs }));
    const askedAtMs = Date.now();
    const { rows } = await asked(pool.query<Answer>(question, [schema]));
    const [answer] = rows;
    if (!answer) throw new TypeError('A query without a table has a row.');
    const { nowMs, ...facts } = answer;
    // Half of the way there and back.
    return { address, ...facts, clockAheadMs: Math.round(nowMs - (askedAtMs + Date.now()) / 2) };
  } catch (error) {
    throw postgresFailure(address, error);
  } finally {
    await pool?.end();
  }
}

interface Answer extends Omit<PostgresFacts, 'address' | 'clockAheadMs'> {
  readonly nowMs: number;
}

const question = `
  select
    current_setting('server_version') as server,
    current_user::text as user,
    coalesce(
      (select has_schema_privilege(oid, 'create') from pg_namespace where nspname = $1),
      has_database_privilege(current_database(), 'create')
    ) as "mayCreate",
    (select coalesce(datctype, 'C') from pg_database where datname = current_database()) as "letterCase",
    (
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - (select coalesce(sum(numbackends), 0) from pg_stat_database)
    )::int as "freeConnections",
    array(
      select name || ' = off' from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name
    ) as "unsafeSettings",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`;
