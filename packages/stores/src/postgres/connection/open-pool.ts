import { Pool, types } from 'pg';
import { asked } from './postgres-dialect.ts';
import { sqlState } from './postgres-failure.ts';
import { ContextError } from '@throughline/core';
import type { Between } from './postgres-dialect.ts';

interface PoolSettings {
  readonly url: string;
  readonly schema: string;
  readonly connections: number;
  readonly lockTimeoutMs: number;
}

const connectTimeoutMs = 10_000;
/** A process that is stopped in the middle of a transaction holds up the others no longer than this, which is as long as leases live. */
const longestPauseMs = 5_000;

const int8 = 20;

/** Connections, and what each transaction on them has to say of itself. */
interface OpenedPool {
  readonly pool: Pool;
  readonly between: Between;
}

/**
 * Says what holds for a connection while it is opened. Where somebody stands between who takes none of that, or keeps it
 * to himself, each transaction says it.
 *
 * @throws what `pg` throws
 */
export async function openPool(settings: PoolSettings): Promise<OpenedPool> {
  const { schema, lockTimeoutMs } = settings;
  const between: Between = { isPooled: false, local: localSettings(schema, lockTimeoutMs) };
  const pool = makePool(settings, ownSettings(settings));
  if (!(await isDeaf(pool, schema))) return { pool, between };
  await pool.end();
  between.isPooled = true;
  return { pool: makePool(settings, {}), between };
}

/** Whether the server knows nothing of what was said when the connection was opened. */
async function isDeaf(pool: Pool, schema: string): Promise<boolean> {
  try {
    const text = `select current_setting('search_path') as path`;
    const { rows } = await asked(pool.query<{ readonly path: string }>(text));
    return rows[0]?.path !== schema;
  } catch (error) {
    if (sqlState(error) === protocolViolation) return true;
    await pool.end();
    throw error;
  }
}

/** So a pooler refuses parameters that it does not know. */
const protocolViolation = '08P01';

function ownSettings({ schema, lockTimeoutMs }: PoolSettings): object {
  return {
    lock_timeout: wholeMs(lockTimeoutMs),
    idle_in_transaction_session_timeout: longestPauseMs,
    // Queries are small: compiling them takes longer than running them.
    options: `-c search_path=${schema} -c jit=off`,
  };
}

/** The same until the end of a transaction. */
function localSettings(schema: string, lockTimeoutMs: number): string {
  const settings = {
    search_path: schema,
    lock_timeout: wholeMs(lockTimeoutMs),
    idle_in_transaction_session_timeout: longestPauseMs,
    jit: 'off',
  };
  const all = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `select ${all.join(', ')}`;
}

const wholeMs = (ms: number): number => Math.max(1, Math.ceil(ms));

function makePool({ url, connections }: PoolSettings, own: object): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    application_name: 'throughline',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    ...own,
    types: {
      getTypeParser: ((id: number, format: 'text') =>
        id === int8 ? safeInteger : types.getTypeParser(id, format)) as typeof types.getTypeParser,
    },
  });
  // A connection that breaks while nobody uses it is replaced; one in use tells whoever waits for it.
  const ignore = (): void => {};
  pool.on('error', ignore);
  pool.on('connect', (client) => void client.on('error', ignore));
  return pool;
}

/** The store writes none that is greater. */
function safeInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`The number ${text} is too great to be read as it is.`);
}

/**
 * The address without user, password and settings.
 *
 * @throws {ContextError} `invalid-option`
 */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    const expected = 'postgres://user:password@host:port/database';
    throw new ContextError('invalid-option', `url must be an address like ${expected}.`, {
      option: 'url',
      expected,
      received: '(not shown: it may hold a password)',
    });
  }
  return `postgres://${parsed.host}${parsed.pathname}`;
}
