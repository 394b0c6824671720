import { setTimeout as sleep } from 'node:timers/promises';
import { connectDirectly, lockOf, nodeName, retag } from './direct-connection.ts';
import { News } from './news.ts';
import { asked } from '../connection/postgres-dialect.ts';
import type { Pool } from 'pg';
import type { Presence } from '../../sql/kit/session-transactions.ts';
import type { DirectConnection } from './direct-connection.ts';
import type { Between } from '../connection/postgres-dialect.ts';
import type { FleetState } from '@throughline/ports';

interface FleetPlace {
  readonly url: string;
  readonly schema: string;
  readonly pool: Pool;
  readonly onNotice: (sentence: string) => void;
  readonly between: Between;
}

const tickMs = 250;
/** A connection that says nothing for so long is taken for broken. */
const answerMs = 3_000;

/**
 * This process among those that work on one database. A connection of its own holds a lock that goes with the process;
 * the locks of others that hold leases are tried: where one is free its process is dead, and its leases end. All of
 * that only shortens: what may be written is decided by the epoch of the lease in each transaction.
 *
 * When the connection of a living process breaks, it takes the lock of a new name, and writes that into its leases. The
 * others find the old one free meanwhile: they look twice before they believe it, and a session that they take all the
 * same is lost as any other is, by a refused write.
 */
export class FleetNode implements AsyncDisposable {
  readonly news: News;
  readonly presence: Presence;
  readonly #place: FleetPlace;
  readonly #closing = new AbortController();
  #connection: DirectConnection | undefined;
  #formerName: string | undefined;
  #isOff = false;
  #watching: Promise<void> = Promise.resolve();

  private constructor(place: FleetPlace) {
    this.#place = place;
    this.news = new News(place.schema);
    const nameOf = (): string | null => this.#connection?.name ?? null;
    this.presence = {
      get name() {
        return nameOf();
      },
      // Their leases are ended in the database, where everybody sees it.
      isDead: () => false,
    };
  }

  static async open(place: FleetPlace): Promise<FleetNode> {
    const node = new FleetNode(place);
    if (place.between.isPooled) {
      node.#turnOff();
      return node;
    }
    // Where there is no connection left for it the store works as well: it is tried again.
    await node.#connect().catch(() => node.#lose());
    node.#watching = node.#watch();
    return node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#watching;
    await this.news.flush();
    await this.#lose();
  }

  get hasCrashDetector(): boolean {
    return this.#connection !== undefined;
  }

  async #connect(): Promise<void> {
    const connected = await connectDirectly(this.#place);
    if (connected.type === 'pooled') {
      this.#turnOff();
      return;
    }
    const { connection } = connected;
    this.#connection = connection;
    await this.news.listenOn(connection);
    if (this.#formerName !== undefined) await retag(this.#place, this.#formerName, connection.name);
    this.#formerName = connection.name;
  }

  /** Statements are prepared no more, either: another connection would not know them. */
  #turnOff(): void {
    this.#isOff = true;
    this.#place.between.isPooled = true;
    this.#place.onNotice(offNotice);
  }

  async #lose(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.news.stop();
    await connection?.end();
  }

  async #watch(): Promise<void> {
    const suspected = new SuspectedNodes(this.#place);
    const { signal } = this.#closing;
    while (!signal.aborted && !this.#isOff) {
      await sleep(tickMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        if (this.#connection) await this.#look(this.#connection, suspected);
        else await this.#connect();
      } catch {
        // What is broken is made anew; the store itself says what it cannot do.
        await this.#lose();
      }
    }
  }

  async #look(connection: DirectConnection, suspected: SuspectedNodes): Promise<void> {
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => timeout.reject(new Error('The connection says nothing.')),
      answerMs,
    ).unref();
    try {
      const looking = this.#ask(connection, suspected);
      await Promise.race([looking, timeout.promise, connection.broken]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(connection: DirectConnection, suspected: SuspectedNodes): Promise<void> {
    const [own] = await connection.ask<{ pid: number }>('select pg_backend_pid() as pid');
    if (own?.pid !== connection.pid) {
      this.#turnOff();
      await this.#lose();
      return;
    }
    if (await suspected.look(connection)) this.news.tellAll();
  }
}

const offNotice =
  'A pooler hands the connections to the database round: a process that dies is noticed when its lease has run out, ' +
  'and what others store each second. Give the store a direct connection, or set crashDetector to off.';

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
class SuspectedNodes {
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

/** Numbers of the database, and of this process's connections to it. */
export async function fleetStateOf(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  hasCrashDetector: boolean,
): Promise<FleetState> {
  const { rows } = await asked(pool.query<{ nodes: number; leased: number }>(textFor(schema), [nodeName]));
  const [row] = rows;
  const { totalCount, idleCount, waitingCount } = pool;
  return {
    nodes: row?.nodes ?? 0,
    hasCrashDetector,
    leasedSessions: row?.leased ?? 0,
    connections: { busy: totalCount - idleCount, idle: idleCount, wanted: waitingCount },
  };
}

/** Behind a pooler a connection does not know where the tables are. */
const textFor = (schema: string): string => `select
  (select count(*)::int from pg_stat_activity where application_name = $1 and datname = current_database()) as nodes,
  (select count(*)::int from "${schema}".sessions where lease_owner is not null
    and lease_expires_at_ms > floor(extract(epoch from clock_timestamp()) * 1000)) as leased`;
