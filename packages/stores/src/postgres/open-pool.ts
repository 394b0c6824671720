import { Pool, types } from 'pg';

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

export function openPool({ url, schema, connections, lockTimeoutMs }: PoolSettings): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    application_name: 'throughline',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    lock_timeout: Math.max(1, Math.ceil(lockTimeoutMs)),
    idle_in_transaction_session_timeout: longestPauseMs,
    // Queries are small: compiling them takes longer than running them.
    options: `-c search_path=${schema} -c jit=off`,
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
