import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { asked } from '../connection/postgres-dialect.ts';
import type { Pool } from 'pg';

/** A connection that nobody shares, and the lock that it holds. */
export interface DirectConnection {
  /** Rows of a statement, which waits for those before it. */
  readonly ask: Ask;
  readonly onNotification: (listener: (payload: string) => void) => void;
  /** Whose death the lock shows, as leases name it. */
  readonly name: string;
  /** Id of the server process behind it: another one means that somebody stands between. */
  readonly pid: number;
  /** Rejects when it breaks. */
  readonly broken: Promise<never>;
  end(): Promise<void>;
}

type Ask = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

interface NodeDatabase {
  readonly url: string;
  readonly schema: string;
  readonly pool: Pool;
}

type Connected =
  | { readonly type: 'connected'; readonly connection: DirectConnection }
  | { readonly type: 'pooled' };

const connectTimeoutMs = 5_000;

/** What connections of living nodes are called in the database. */
export const nodeName = 'throughline node';

/** The number of the lock of a node. */
export const lockOf = (parameter: string): string => `hashtextextended(${parameter}, 0)`;

/** Opens it and takes the lock of a new name; `pooled` where the lock is not this connection's alone. */
export async function connectDirectly(place: NodeDatabase): Promise<Connected> {
  const { url, schema } = place;
  const client = new Client({
    connectionString: url,
    application_name: nodeName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // A notification need not wait for the disk: what it tells of is there, and a restart makes everybody look anew.
    options: `-c search_path=${schema} -c jit=off -c synchronous_commit=off -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2`,
  });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  client.on('error', (error) => broken.reject(error));
  client.on('end', () => broken.reject(new Error('The connection has ended.')));
  const end = async (): Promise<void> => {
    // Not waited for: nobody may answer.
    streamOf(client).destroy();
  };
  const ask = oneByOne(client);
  try {
    await asked(client.connect());
    // A program that is done need not wait for it.
    streamOf(client).unref();
    const name = `node_${randomBytes(12).toString('hex')}`;
    const pid = await lock(ask, name);
    if (await isPooled(place.pool, { ask, name, pid })) {
      await end();
      return { type: 'pooled' };
    }
    const onNotification: DirectConnection['onNotification'] = (listener) =>
      void client.on('notification', ({ payload = '' }) => listener(payload));
    return {
      type: 'connected',
      connection: { ask, onNotification, name, pid, broken: broken.promise, end },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** News is told while others are looked after: `pg` takes one statement at a time. */
function oneByOne(client: Client): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return <Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    const asking = last.then(async () => (await asked(client.query<Row>(text, [...values]))).rows);
    last = asking.catch(() => {});
    return asking;
  };
}

interface Stream {
  unref(): void;
  destroy(): void;
}

function streamOf(client: Client): Stream {
  return (client as unknown as { readonly connection: { readonly stream: Stream } }).connection.stream;
}

/** Leases of a node that goes on under another name. Nobody else waits for two of these rows, so there is no circle. */
export async function retag({ pool }: NodeDatabase, from: string, to: string): Promise<void> {
  const text = 'update sessions set lease_holder = $2 where lease_holder = $1 and lease_owner is not null';
  await asked(pool.query(text, [from, to]));
}

async function lock(ask: Ask, name: string): Promise<number> {
  const text = `select pg_backend_pid() as pid, pg_try_advisory_lock(${lockOf('$1')}) as is_locked`;
  const [row] = await ask<{ pid: number; is_locked: boolean }>(text, [name]);
  if (!row?.is_locked) throw new Error('A name that was just drawn is taken.');
  return row.pid;
}

/**
 * Whether a pooler gives the server process of this connection to others between two transactions. One of the pool is
 * in a transaction meanwhile: it has got the process, or this one gets another.
 */
async function isPooled(
  pool: Pool,
  { ask, name, pid }: Pick<DirectConnection, 'ask' | 'name' | 'pid'>,
): Promise<boolean> {
  const other = await pool.connect();
  try {
    await asked(other.query('begin'));
    const text = `select pg_backend_pid() as pid, pg_try_advisory_xact_lock_shared(${lockOf('$1')}) as is_free`;
    const { rows } = await asked(other.query<{ pid: number; is_free: boolean }>(text, [name]));
    const [own] = await ask<{ pid: number }>('select pg_backend_pid() as pid');
    const [row] = rows;
    return row === undefined || row.is_free || row.pid === pid || own?.pid !== pid;
  } finally {
    await other.query('rollback').catch(() => {});
    other.release();
  }
}
