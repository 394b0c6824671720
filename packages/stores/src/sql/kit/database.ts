import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ContextError } from '@throughline/core';
import { Kysely } from 'kysely';
import type { Dialect, TransactionBuilder } from 'kysely';
import type { Schema, SessionRow, Tables, Tx } from './schema.ts';

/** What is particular to one database. */
export interface Engine {
  readonly dialect: Dialect;
  /** An error of the database as one of ours; any other as it is. What is a `ContextError` already is not asked about. */
  readonly failureOf: (error: unknown) => unknown;
  /** Whether another connection was in the way, or this one was cut, before anything was stored: the same may succeed. */
  readonly isBusy: (error: unknown) => boolean;
  /**
   * Whether transactions that write go on side by side. Each then locks the rows it decides by, and a reading is of one
   * moment.
   *
   * @default one writes at a time
   */
  readonly writesSideBySide?: boolean;
  /**
   * Whether a row that another connection has stored meanwhile may be in the way: the same again finds it there. It is
   * tried once more.
   *
   * @default there is no meanwhile
   */
  readonly isRace?: (error: unknown) => boolean;
  /** Whether the database refused a row because of what it holds. */
  readonly isRefusal: (error: unknown) => boolean;
  /** The failure of a store that was closed. */
  readonly closed: () => Error;
  /**
   * Whether commits on this connection wait for the disk. Called outside of transactions.
   *
   * @default all of them wait
   */
  readonly setWaiting?: (connection: Kysely<Schema>, isWaiting: boolean) => Promise<void>;
  /** The same where it is said inside of a transaction, for it alone: its commit does not wait. */
  readonly hurry?: (tx: Tx) => Promise<void>;
}

/**
 * How long something has to last: behind a power failure, too, or only as long as the machine runs. Either outlives the
 * process.
 */
export type Lasting = 'for-ever' | 'while-machine-runs';

const retryAfterMs = 10;

/** Others get their turn behind so many that are stored together. */
const mostTogether = 64;

interface WriteOptions {
  /** @default 'for-ever' */
  readonly lasting?: Lasting;
  /**
   * What it is about, such as a session. Where transactions go on side by side those about different things do, and
   * none locks rows of two: processes that write to the same things would wait for each other in a circle.
   */
  readonly about?: string;
}

/** Work that waits to be stored with the others of its turn. */
interface Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly lasting: Lasting;
  readonly stored: PromiseWithResolvers<unknown>;
}

/**
 * The only door to the tables. All work that writes is a transaction, and gets at them through it alone: on a database
 * with one connection nothing can wait for a connection that it holds itself.
 *
 * What is to be written in one turn of the event loop is written in one transaction, which waits for the disk once:
 * many sessions that stream wait for it no longer than one does. Where transactions go on side by side that is so for
 * what is about one thing. Whoever wrote is told when it is stored.
 */
export class Database implements AsyncDisposable {
  readonly #kysely: Kysely<Schema>;
  readonly #engine: Engine;
  readonly #retries: number;
  readonly #running = new Set<Promise<unknown>>();
  /** By what they are about; one that is there is being written. */
  readonly #lanes = new Map<string, Waiting[]>();
  #isClosed = false;

  constructor(engine: Engine, lockTimeoutMs: number) {
    this.#engine = engine;
    this.#kysely = new Kysely<Schema>({ dialect: engine.dialect });
    this.#retries = Math.ceil(lockTimeoutMs / retryAfterMs);
  }

  /** Whether a transaction has to lock what it reads before it writes. */
  get locksRows(): boolean {
    return this.#engine.writesSideBySide === true;
  }

  isRefusal(error: unknown): boolean {
    return this.#engine.isRefusal(error);
  }

  /** One consistent reading of what is stored; what still waits to be written is not. */
  read<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#run(() => this.#patiently(() => this.#reading().execute(work)));
  }

  /**
   * One statement, or several of which each may read another moment: without a transaction around them, which takes as
   * long as two statements. They only read, and may be run again.
   */
  look<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#run(() => this.#patiently(() => work(this.#kysely)));
  }

  /** All of what `work` writes, or nothing where it throws. It may be run again where nothing was stored. */
  write<Result>(
    work: (tx: Tx) => Promise<Result>,
    { lasting = 'for-ever', about = '' }: WriteOptions = {},
  ): Promise<Result> {
    return this.#run(() => {
      const stored = Promise.withResolvers<unknown>();
      this.#join(this.locksRows ? about : '', { work, lasting, stored });
      return stored.promise as Promise<Result>;
    });
  }

  /** In a transaction of its own that begins at once: who is told of what was stored before finds this stored, too. */
  writeAtOnce<Result>(work: (tx: Tx) => Promise<Result>, lasting: Lasting = 'for-ever'): Promise<Result> {
    return this.#run(() => this.#patiently(() => this.#transaction(work, lasting)));
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.#kysely.destroy();
  }

  #join(about: string, work: Waiting): void {
    const lane = this.#lanes.get(about);
    if (lane) {
      lane.push(work);
      return;
    }
    const waiting = [work];
    this.#lanes.set(about, waiting);
    void this.#writeAll(about, waiting);
  }

  async #writeAll(about: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      await nextTurn();
      await this.#writeTogether(waiting.splice(0, mostTogether));
    }
    this.#lanes.delete(about);
  }

  /** Where one of several fails nothing of them is stored, and each is tried by itself. */
  async #writeTogether(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#store(group);
      for (const [index, { stored }] of group.entries()) stored.resolve(results[index]);
    } catch (error) {
      if (group.length > 1) for (const one of group) await this.#writeTogether([one]);
      else group[0]?.stored.reject(error);
    }
  }

  #store(group: readonly Waiting[]): Promise<readonly unknown[]> {
    const lasting = group.some((one) => one.lasting === 'for-ever') ? 'for-ever' : 'while-machine-runs';
    return this.#patiently(() =>
      this.#transaction(async (tx) => {
        const results: unknown[] = [];
        for (const { work } of group) results.push(await work(tx));
        return results;
      }, lasting),
    );
  }

  #transaction<Result>(work: (tx: Tx) => Promise<Result>, lasting: Lasting): Promise<Result> {
    const { setWaiting, hurry } = this.#engine;
    if (lasting === 'while-machine-runs' && hurry) {
      return this.#writing().execute(async (tx) => {
        await hurry(tx);
        return work(tx);
      });
    }
    if (lasting === 'for-ever' || !setWaiting) return this.#writing().execute(work);
    return this.#kysely.connection().execute(async (connection) => {
      await setWaiting(connection, false);
      try {
        return await connection.transaction().execute(work);
      } finally {
        await setWaiting(connection, true);
      }
    });
  }

  #reading(): TransactionBuilder<Schema> {
    const builder = this.#kysely.transaction().setAccessMode('read only');
    return this.locksRows ? builder.setIsolationLevel('repeatable read') : builder;
  }

  /** What waited for a lock sees what was stored meanwhile. */
  #writing(): TransactionBuilder<Schema> {
    const builder = this.#kysely.transaction();
    return this.locksRows ? builder.setIsolationLevel('read committed') : builder;
  }

  #run<Result>(transaction: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(this.#engine.closed());
    const running = transaction();
    this.#running.add(running);
    const forget = (): void => void this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  /** The wait for another process gives way to everything else in this one. */
  async #patiently<Result>(transaction: () => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await transaction();
      } catch (error) {
        // What the store itself refuses: an engine that looks for a `code` would take it for one of the database.
        if (ContextError.is(error)) throw error;
        if (!this.#isWorthAnother(error, attempt)) throw this.#engine.failureOf(error);
      }
      await sleep(retryAfterMs);
    }
  }

  #isWorthAnother(error: unknown, attempt: number): boolean {
    if (this.#engine.isBusy(error)) return attempt < this.#retries;
    return attempt === 0 && this.#engine.isRace?.(error) === true;
  }
}

/** Finds texts by what is in them: the one thing that databases do each in their own words. */
export interface TextIndex {
  /** The comparison that takes no notice of the case of ASCII letters. */
  readonly anyCaseLike: 'like' | 'ilike';
  add(tx: Tx, key: number, text: string): Promise<void>;
  /** Takes out all texts whose key is in `[first, end)`. */
  removeRange(tx: Tx, first: number, end: number): Promise<void>;
  /**
   * Keys in `[first, end)` of texts that contain `query`, newest first; `undefined` where the index has no answer to a
   * query so short.
   */
  find(tx: Tx, query: string, range: KeyRange): Promise<readonly number[] | undefined>;
}

/** Keys in `[first, end)`, at most `limit` of them. */
export interface KeyRange {
  readonly first: number;
  readonly end: number;
  readonly limit: number;
}

/** Texts of one session lie side by side in the index, so that a search reads no others: 2²³ sessions of 2³⁰ texts. */
const textsPerSession = 2 ** 30;

/** The keys of all texts of a session; the newest has the greatest. */
export function keysOf(session: Pick<SessionRow, 'key'>): { readonly first: number; readonly end: number } {
  return { first: session.key * textsPerSession, end: (session.key + 1) * textsPerSession };
}
