import { DatabaseError } from 'pg';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionFailure, hasLeft, sqlState, StaleConnection } from './postgres-failure.ts';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { TransactionSettings } from 'kysely';
import type { Pool, PoolClient } from 'pg';

/** Statements that a connection keeps prepared. Queries are few; only bulk inserts come in many lengths. */
const mostPrepared = 300;
const mostParametersOfPrepared = 100;
const tooManyConnections = '53300';

/** What stands between this process and the server. */
export interface Between {
  /** A pooler hands connections round between transactions: nothing of a connection lasts longer than those. */
  isPooled: boolean;
  /** The statement that says then, at the beginning of each, what else would hold for the connection. */
  readonly local: string;
}

/** Kysely over a pool of `pg`. */
export function postgresDialect(pool: Pool, between: Between): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool, between),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #between: Between;
  readonly #names = new Map<string, string>();

  constructor(pool: Pool, between: Between) {
    this.#pool = pool;
    this.#between = between;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const { isPooled, local } = this.#between;
    const client = await connect(this.#pool);
    if (isPooled) return new PostgresConnection(client, () => undefined, local);
    return new PostgresConnection(client, (sql) => this.#nameOf(sql));
  }

  async beginTransaction(
    connection: PostgresConnection,
    { accessMode = 'read write', isolationLevel = 'read committed' }: TransactionSettings,
  ): Promise<void> {
    await connection.begin(`begin isolation level ${isolationLevel} ${accessMode}`);
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    // So it ends where a statement in it has failed, and nobody has thrown.
    if ((await connection.run('commit')) === 'ROLLBACK')
      throw new Error('The transaction had failed before.');
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    // A connection that is gone has taken the transaction with it.
    await connection.run('rollback').catch(() => connection.spoil());
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }

  /** What a statement is prepared as; the same on every connection. */
  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= mostPrepared) return known;
    const name = `throughline-${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #nameOf: (sql: string) => string | undefined;
  readonly #local: string | undefined;
  #isSpoilt = false;
  #isInTransaction = false;

  constructor(client: PoolClient, nameOf: (sql: string) => string | undefined, local?: string) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.#local = local;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#local === undefined || this.#isInTransaction) return this.#execute(query);
    await this.begin('begin read only');
    try {
      return await this.#execute(query);
    } finally {
      await this.run('rollback').catch(() => this.spoil());
      this.#isInTransaction = false;
    }
  }

  async #execute<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const name = parameters.length > mostParametersOfPrepared ? undefined : this.#nameOf(sql);
    const query = { text: sql, values: parameters.map(bindable), ...(name !== undefined && { name }) };
    const { command, rowCount, rows } = await this.#beforeCommit(asked(this.#client.query(query)));
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
    return { rows: rows as Row[], ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are read in pages, never streamed.');
  }

  async begin(command: string): Promise<void> {
    await this.#beforeCommit(this.run(this.#local === undefined ? command : `${command}; ${this.#local}`));
    this.#isInTransaction = true;
  }

  /** Nothing is stored yet: where the connection fails, the same again on another is as good. */
  async #beforeCommit<Result>(asking: Promise<Result>): Promise<Result> {
    try {
      return await asking;
    } catch (error) {
      if (!hasLeft(error)) throw error;
      this.spoil();
      throw new StaleConnection(error);
    }
  }

  /** @returns what was done, as the database names it */
  async run(command: string): Promise<string> {
    return (await asked(this.#client.query(command))).command;
  }

  /** It is not used again. */
  spoil(): void {
    this.#isSpoilt = true;
  }

  release(): void {
    this.#client.release(this.#isSpoilt);
  }
}

/** Where the server has no more connections, one of our own may become free meanwhile. */
const longestWaitMs = 5_000;
const askAgainMs = 100;

/** @throws {ConnectionFailure} what the database itself has said goes through as it is */
export async function connect(pool: Pool): Promise<PoolClient> {
  const endsAtMs = performance.now() + longestWaitMs;
  for (;;) {
    try {
      return await asked(pool.connect());
    } catch (error) {
      const isWorthAnother = sqlState(error) === tooManyConnections && pool.totalCount > 0;
      if (!isWorthAnother || performance.now() > endsAtMs) throw error;
    }
    await sleep(askAgainMs);
  }
}

export async function asked<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof DatabaseError ? error : new ConnectionFailure(error);
  }
}

/** A text has no NUL here. What people and models write is JSON, which has none either. */
function bindable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  if (value === null || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`A column holds text, a finite number or null, not ${typeof value}.`);
}
