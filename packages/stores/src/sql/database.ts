import { Kysely } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect } from 'kysely';
import type { Schema, Tx } from './schema.ts';

/** What is particular to one database. */
export interface Engine {
  readonly dialect: Dialect;
  /** An error of the database as one of ours; any other as it is. */
  readonly failureOf: (error: unknown) => unknown;
  /** Whether another connection was in the way, so that the same again may succeed. */
  readonly isBusy: (error: unknown) => boolean;
  /** Whether the database refused a row because of what it holds. */
  readonly isRefusal: (error: unknown) => boolean;
  /** The failure of a store that was closed. */
  readonly closed: () => Error;
}

const retryAfterMs = 10;

/**
 * The only door to the tables. All work is a transaction, and gets at them through it alone: on a database with one
 * connection nothing can wait for a connection that it holds itself.
 */
export class Database implements AsyncDisposable {
  readonly #kysely: Kysely<Schema>;
  readonly #engine: Engine;
  readonly #retries: number;
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(engine: Engine, lockTimeoutMs: number) {
    this.#engine = engine;
    this.#kysely = new Kysely<Schema>({ dialect: engine.dialect });
    this.#retries = Math.ceil(lockTimeoutMs / retryAfterMs);
  }

  isRefusal(error: unknown): boolean {
    return this.#engine.isRefusal(error);
  }

  /** One consistent reading. */
  read<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#run(() => this.#kysely.transaction().setAccessMode('read only').execute(work));
  }

  /** All of what `work` writes, or nothing where it throws. It may be run again where nothing was stored. */
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#run(() => this.#kysely.transaction().execute(work));
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.#kysely.destroy();
  }

  #run<Result>(transaction: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(this.#engine.closed());
    const running = this.#patiently(transaction);
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
        if (!this.#engine.isBusy(error) || attempt >= this.#retries) throw this.#engine.failureOf(error);
      }
      await sleep(retryAfterMs);
    }
  }
}
