import { checkOptions, duration, required, withFunctions } from '@throughline/core/internal';
import { randomIds } from '@throughline/ports';
import { sql } from 'kysely';
import { createStore } from '../sql/create-store.ts';
import { Database } from '../sql/kit/database.ts';
import { DatabaseClock } from './database-clock.ts';
import { databaseBlobs } from './database-blobs.ts';
import { FleetNode, fleetStateOf } from './fleet/fleet-node.ts';
import { migrate } from './migrate.ts';
import { openPool, shownUrl } from './connection/open-pool.ts';
import { postgresDialect } from './connection/postgres-dialect.ts';
import { isBusy, isRace, isRefusal, postgresFailure, storeFailed } from './connection/postgres-failure.ts';
import type { OptionChecks } from '@throughline/core/internal';
import type { BlobStore, Clock, FleetState, IdSource, SessionStore } from '@throughline/ports';
import type { RawBuilder } from 'kysely';
import type { Engine, KeyRange, TextIndex } from '../sql/kit/database.ts';
import type { Tx } from '../sql/kit/schema.ts';

/** Which database, and how it is used. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; what is not in it is as libpq has it (`PGPASSWORD`, `~/.pgpass`). */
  readonly url: string;
  /** Where the tables are; made where it is not there. @default 'throughline' */
  readonly schema?: string;
  /** @default in the database */
  readonly blobs?: BlobStore;
  /** @default the time of the database */
  readonly clock?: Clock;
  /** @default random ids */
  readonly ids?: IdSource;
  /** How many connections this process opens at the most. @default 10 */
  readonly connections?: number;
  /** How long a transaction waits for another before it fails as `locked`. @default 5000 */
  readonly lockTimeoutMs?: number;
  /**
   * Whether a connection of its own tells other processes at once that this one has died, and what it has stored; it
   * comes on top of `connections`. `auto`: where it can. Behind a pooler that hands connections round it cannot, and
   * is off: then leases run out, and others look for themselves each second. @default 'auto'
   */
  readonly crashDetector?: 'auto' | 'off';
  /** Told in a sentence when the crash detector goes off, or on again. @default a warning of the process */
  readonly onNotice?: (sentence: string) => void;
}

/** One writes, and while it removes bytes it needs another. */
const fewestConnections = 2;

const optionChecks: OptionChecks<PostgresStoreOptions> = {
  // Looked at by itself: what is wrong with it must not be shown, there may be a password in it.
  url: required({ expected: 'an address', fits: (value) => typeof value === 'string' }),
  schema: {
    expected: 'a name of small letters, digits and _',
    fits: (value) => typeof value === 'string' && /^[a-z_][a-z0-9_]{0,62}$/.test(value),
  },
  blobs: withFunctions('a store of blobs, as folderBlobs makes it', 'put', 'get', 'remove'),
  clock: withFunctions('a clock', 'nowMs'),
  ids: withFunctions('a source of ids', 'nextId'),
  connections: {
    expected: `a whole number from ${fewestConnections}`,
    fits: (value) => Number.isSafeInteger(value) && Number(value) >= fewestConnections,
  },
  lockTimeoutMs: duration,
  crashDetector: { expected: "'auto' or 'off'", fits: (value) => value === 'auto' || value === 'off' },
  onNotice: { expected: 'a function', fits: (value) => typeof value === 'function' },
};

/**
 * Sessions in a Postgres database; any number of processes, on any number of machines, may have it open. Its tables are
 * made, or brought to the newest version, when it is opened.
 *
 * @throws {ContextError} `invalid-option` that names the option; `store-failed` with the reason and what to do;
 * `store-version` for the tables of a newer version.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  checkOptions('', options, optionChecks);
  const { url, schema = 'throughline', ids = randomIds, connections = 10, lockTimeoutMs = 5_000 } = options;
  const store = shownUrl(url);
  const { pool, between } = await openPool({ url, schema, connections, lockTimeoutMs }).catch(
    (error: unknown) => {
      throw postgresFailure(store, error);
    },
  );
  const engine: Engine = {
    dialect: postgresDialect(pool, between),
    failureOf: (error) => postgresFailure(store, error),
    isBusy,
    isRace,
    isRefusal,
    closed: () => storeFailed(store, { reason: 'closed', advice: 'It is closed.' }),
    writesSideBySide: true,
    hurry,
  };
  const database = new Database(engine, lockTimeoutMs);
  let ownClock: DatabaseClock | undefined;
  let node: FleetNode | undefined;
  const close = async (): Promise<void> => {
    await node?.[Symbol.asyncDispose]();
    ownClock?.[Symbol.dispose]();
    await database[Symbol.asyncDispose]();
  };
  try {
    await migrate(pool, { store, schema });
    if (!options.clock) ownClock = await DatabaseClock.open(pool);
    const clock = options.clock ?? ownClock;
    if (!clock) throw new TypeError('There is a clock.');
    const blobs = options.blobs ?? databaseBlobs(pool, { store, schema });
    const { crashDetector = 'auto', onNotice = warn } = options;
    if (crashDetector === 'auto') node = await FleetNode.open({ url, schema, pool, between, onNotice });
    const opened = await createStore({
      database,
      textIndex: trigramIndex,
      blobs,
      clock,
      ids,
      // A test that moves its own clock judges leases by it.
      ...(options.clock ? {} : { now: databaseNow }),
      ...(node ? { presence: node.presence, news: node.news } : {}),
    });
    const fleet = (): Promise<FleetState> =>
      fleetStateOf({ pool, schema }, node?.hasCrashDetector === true).catch((error: unknown) => {
        throw postgresFailure(store, error);
      });
    return { ...opened, fleet, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw postgresFailure(store, error);
  }
}

/** The time of the statement, not of the transaction: one that has waited for a lock judges by the time of now. */
function databaseNow(): RawBuilder<number> {
  return sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
}

function warn(sentence: string): void {
  process.emitWarning(sentence, 'ThroughlineWarning');
}

/** What is behind it brings it to the disk, too: the log holds everything in its order. */
async function hurry(tx: Tx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx);
}

/** Trigrams: what is shorter than that is in none. */
const shortestQuery = 3;
/** What is longer is checked on the text itself. */
const longestPhrase = 120;

/**
 * Postgres's `pg_trgm`: any part of a word. Letters are made small here and not there: which letters a database knows
 * the small form of depends on the language it was made for.
 */
const trigramIndex: TextIndex = {
  anyCaseLike: 'ilike',
  async add(tx, key, text) {
    await sql`insert into texts (key, text) values (${key}, ${caseless(text)})`.execute(tx);
  },
  async removeRange(tx, first, end) {
    await sql`delete from texts where key >= ${first} and key < ${end}`.execute(tx);
  },
  async find(tx, query, range) {
    const characters = [...caseless(query)].slice(0, longestPhrase);
    if (characters.length < shortestQuery) return undefined;
    return keysWith(tx, characters.join(''), range);
  },
};

async function keysWith(tx: Tx, text: string, { first, end, limit }: KeyRange): Promise<readonly number[]> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { rows } = await sql<{ key: number }>`
    select key from texts
    where text like ${pattern} and key >= ${first} and key < ${end}
    order by key desc limit ${limit}`.execute(tx);
  return rows.map(({ key }) => key);
}

function caseless(text: string): string {
  return text.toLowerCase().replaceAll('\0', ' ').toWellFormed();
}
