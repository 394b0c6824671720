import { setTimeout as sleep } from 'node:timers/promises';
import { checkOptions, duration, required, withFunctions } from '@throughline/core/internal';
import { isProcessDead, randomIds, systemClock, thisProcess } from '@throughline/ports';
import { sql } from 'kysely';
import { memoryBlobs } from '../blobs.ts';
import { createStore } from '../sql/create-store.ts';
import { Database } from '../sql/kit/database.ts';
import { nodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openDatabase } from './open-database.ts';
import { isBusy, isRefusal, sqliteFailure, storeFailed } from './sqlite-failure.ts';
import type { DatabaseSync } from 'node:sqlite';
import type { OptionChecks } from '@throughline/core/internal';
import type { BlobStore, Clock, IdSource, SessionStore } from '@throughline/ports';
import type { KeyRange, TextIndex } from '../sql/kit/database.ts';
import type { Tx } from '../sql/kit/schema.ts';
import type { Presence } from '../sql/kit/session-transactions.ts';

/** Which file, and what stands beside it. */
export interface SqliteStoreOptions {
  /** Path of the database; it is made where there is none. */
  readonly file: string;
  /** Keeps the bytes of media and whole outputs, as `folderBlobs` does. */
  readonly blobs: BlobStore;
  /** @default the time on the wall */
  readonly clock?: Clock;
  /** @default random ids */
  readonly ids?: IdSource;
  /** How long a transaction waits for another process before it fails as `locked`. @default 5000 */
  readonly lockTimeoutMs?: number;
}

const aroundChecks: OptionChecks<Pick<SqliteStoreOptions, 'clock' | 'ids'>> = {
  clock: withFunctions('a clock', 'nowMs'),
  ids: withFunctions('a source of ids', 'nextId'),
};

const optionChecks: OptionChecks<SqliteStoreOptions> = {
  ...aroundChecks,
  file: required({
    expected: 'the name of a file',
    // SQLite takes the empty name for a file that is gone when it is closed.
    fits: (value) => typeof value === 'string' && value !== '',
  }),
  blobs: required(withFunctions('a store of blobs, as folderBlobs makes it', 'put', 'get', 'remove')),
  lockTimeoutMs: duration,
};

const retryAfterMs = 25;

/** Whoever works on one such file does so on one kernel: SQLite’s log is memory that they share. */
const presence: Presence = { name: thisProcess(), isDead: isProcessDead };

/**
 * Sessions in one SQLite file; several processes may have it open. It is made, or brought to the newest version, when
 * it is opened.
 *
 * @throws {ContextError} `invalid-option` that names the option; `store-failed` with the reason; `store-version` for the
 * file of a newer version.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  checkOptions('', options, optionChecks);
  const { file, blobs, clock = systemClock, ids = randomIds, lockTimeoutMs = 5_000 } = options;
  const sqlite = await openPatiently(file, lockTimeoutMs);
  const engine = {
    dialect: nodeSqliteDialect(sqlite),
    failureOf: (error: unknown) => sqliteFailure(file, error),
    isBusy,
    isRefusal,
    closed: () => storeFailed(file, 'closed'),
    // Not by a prepared statement: it takes effect when it is prepared. The log holds everything in its order: a later
    // commit that waits brings what is before it to the disk, too.
    setWaiting: async (_: unknown, isWaiting: boolean) =>
      sqlite.exec(`pragma synchronous = ${isWaiting ? 'full' : 'normal'}`),
  };
  const database = new Database(engine, lockTimeoutMs);
  try {
    return await createStore({ database, textIndex: ftsIndex, blobs, clock, ids, presence });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Sessions that last as long as the store is open.
 *
 * @throws {ContextError} `invalid-option` that names the option.
 */
export async function openMemoryStore(
  options: Pick<SqliteStoreOptions, 'clock' | 'ids'> = {},
): Promise<SessionStore> {
  checkOptions('', options, aroundChecks);
  return openSqliteStore({ ...options, file: ':memory:', blobs: memoryBlobs() });
}

async function openPatiently(file: string, lockTimeoutMs: number): Promise<DatabaseSync> {
  for (let left = Math.ceil(lockTimeoutMs / retryAfterMs); ; left -= 1) {
    try {
      return openDatabase(file);
    } catch (error) {
      if (!isBusy(error) || left <= 0) throw sqliteFailure(file, error);
    }
    await sleep(retryAfterMs);
  }
}

/** Trigrams: a text shorter than that is in none. */
const shortestQuery = 3;
/** A phrase is matched trigram by trigram. What is longer is checked on the text itself. */
const longestPhrase = 120;

/** SQLite's FTS5 with the trigram tokenizer: any part of a word in any script, whatever its case. */
export const ftsIndex: TextIndex = {
  anyCaseLike: 'like',
  async add(tx, key, text) {
    await sql`insert into texts (rowid, text) values (${key}, ${plain(text)})`.execute(tx);
  },
  async removeRange(tx, first, end) {
    await sql`delete from texts where rowid >= ${first} and rowid < ${end}`.execute(tx);
  },
  async find(tx, query, range) {
    const characters = [...plain(query)].slice(0, longestPhrase);
    if (characters.length < shortestQuery) return undefined;
    return keysWith(tx, characters.join(''), range);
  },
};

async function keysWith(tx: Tx, text: string, { first, end, limit }: KeyRange): Promise<readonly number[]> {
  const phrase = `"${text.replaceAll('"', '""')}"`;
  const { rows } = await sql<{ key: number }>`
    select rowid as key from texts
    where texts match ${phrase} and rowid >= ${first} and rowid < ${end}
    order by rowid desc limit ${limit}`.execute(tx);
  return rows.map(({ key }) => key);
}

/** SQLite ends a text at NUL, and has no lone surrogates. */
function plain(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed();
}
