import { asked } from '../connection/postgres-dialect.ts';
import { lockOf } from './direct-connection.ts';
import type { Pool } from 'pg';
import type { DirectConnection } from './direct-connection.ts';

/** Shared: those who look at the same time are not in each other's way, and see the lock of a living node all the same. */
const isFree = (holder: string): string => `pg_try_advisory_xact_lock_shared(${lockOf(holder)})`;

const findFree = `
  with holders as materialized (
    select distinct lease_holder as name from sessions
    where lease_owner is not null and lease_holder is not null and lease_holder <> $1 and lease_expires_at_ms > 0
  )
  select name from holders where ${isFree('name')}`;

/** Who is at work on a row, such as another that ends the same leases, is not waited for: what is left is found again. */
const endLeases = `
  with dead as materialized (select name from unnest($1::text[]) as name where ${isFree('name')}),
  left_behind as materialized (
    select key from sessions
    where lease_holder in (select name from dead) and lease_owner is not null and lease_expires_at_ms > 0
    for update skip locked)
  update sessions set lease_expires_at_ms = 0 where key in (select key from left_behind)`;

/** Nodes that hold leases, and no lock any more. Who is found so twice in a row is dead: its leases are over. */
export class SuspectedNodes {
  readonly #pool: Pool;
  #seen: ReadonlySet<string> = new Set();

  constructor({ pool }: { readonly pool: Pool }) {
    this.#pool = pool;
  }

  /** Whether leases were ended. */
  async look({ ask, name }: DirectConnection): Promise<boolean> {
    const free = (await ask<{ name: string }>(findFree, [name])).map((row) => row.name);
    const dead = free.filter((one) => this.#seen.has(one));
    this.#seen = new Set(free);
    if (dead.length === 0) return false;
    const ended = await asked(this.#pool.query(endLeases, [dead]));
    return (ended.rowCount ?? 0) > 0;
  }
}
