import { notFound } from './failures.ts';
import { visible } from './index-terms.ts';
import { KnownRows } from './known-rows.ts';
import type { Clock, IdSource, NewEvent, StoredEvent } from '@throughline/ports';
import type { Insertable, RawBuilder, Updateable } from 'kysely';
import type { Database, TextIndex } from './database.ts';
import type { KnownChanges } from './known-rows.ts';
import type { Schema, SessionRow, Tables, Tx } from './schema.ts';

/** Where the parts of a store get their transactions: one method call, one transaction, one session. */
export class SessionTransactions {
  readonly database: Database;
  readonly around: Surroundings;

  constructor(database: Database, around: Surroundings) {
    this.database = database;
    this.around = around;
  }

  /** @throws {ContextError} `not-found` */
  read<Result>(sessionId: string, work: (tx: Tx, row: SessionRow) => Promise<Result>): Promise<Result> {
    return this.database.read(async (tx) => work(tx, await sessionRow(tx, sessionId)));
  }

  /**
   * What does not have to be of the same moment as the session's row, of which only the key is used.
   *
   * @throws {ContextError} `not-found`
   */
  look<Result>(
    sessionId: string,
    work: (tables: Tables, row: SessionRow) => Promise<Result>,
  ): Promise<Result> {
    return this.database.look(async (tables) => work(tables, await sessionRow(tables, sessionId)));
  }

  /** @throws {ContextError} `not-found` */
  async change<Result>(
    sessionId: string,
    change: (work: SessionTransaction) => Promise<Result>,
  ): Promise<Result> {
    const { result, afterwards } = await this.database.write(
      async (tx) => {
        const work = await SessionTransaction.open(tx, this.around, sessionId);
        const done = await change(work);
        await work.save();
        return { result: done, afterwards: work.afterwards };
      },
      { about: sessionId },
    );
    for (const act of afterwards) act();
    return result;
  }
}

/** Tells processes that live from those that have died, as far as that is certain. */
export interface Presence {
  /** Name of this process; `null` where others could not tell that it has died. */
  readonly name: string | null;
  readonly isDead: (name: string) => boolean;
}

/** Tells other processes that something of a session was stored. It may be lost: they look for themselves as well. */
export type TellNews = (sessionId: string) => void;

/** What all parts of a store work with. */
export interface Surroundings {
  /** The time by which leases are judged, as a statement computes it: `clock`, or the database's own. */
  readonly now: () => RawBuilder<number>;
  readonly tellNews: TellNews;
  readonly presence: Presence;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly textIndex: TextIndex;
  readonly knownChanges: KnownChanges;
  /** Whether the row of a session is locked before it is changed; see `Engine.writesSideBySide`. */
  readonly locksRows: boolean;
}

type SessionUpdate = Updateable<Schema['sessions']>;
type EventRow = Insertable<Schema['events']>;
/** Parameters of one statement are limited. */
const eventsPerInsert = 200;

/**
 * A transaction on one session. Its row is read once and written once, at the end: counters count in memory. What
 * nobody else may see before it is stored waits in `afterwards`.
 */
export class SessionTransaction {
  readonly tx: Tx;
  readonly around: Surroundings;
  readonly nowMs: number;
  readonly afterwards: (() => void)[] = [];
  readonly known = new KnownRows();
  #row: SessionRow;
  #update: SessionUpdate = {};
  #events: EventRow[] = [];
  /** What was told in pieces, and the event that tells it as a whole. */
  readonly #ended = new Map<string, number>();

  private constructor(tx: Tx, around: Surroundings, row: SessionRow) {
    this.tx = tx;
    this.around = around;
    this.nowMs = around.clock.nowMs();
    this.#row = row;
  }

  /** @throws {ContextError} `not-found` */
  static async open(tx: Tx, around: Surroundings, sessionId: string): Promise<SessionTransaction> {
    return new SessionTransaction(tx, around, await rowToChange(tx, around, sessionId));
  }

  /** On one that nobody sees yet. */
  static async openHidden(tx: Tx, around: Surroundings, key: number): Promise<SessionTransaction> {
    const row = await tx
      .selectFrom('sessions')
      .selectAll()
      .where('key', '=', key)
      .$if(around.locksRows, (locked) => locked.forUpdate())
      .executeTakeFirstOrThrow();
    return new SessionTransaction(tx, around, row);
  }

  /** Once it is stored, other processes are told. */
  tellNews(): void {
    this.afterwards.push(() => this.around.tellNews(this.#row.id));
  }

  get row(): SessionRow {
    return this.#row;
  }

  get key(): number {
    return this.#row.key;
  }

  set(update: SessionUpdate): void {
    this.#row = { ...this.#row, ...update } as SessionRow;
    this.#update = { ...this.#update, ...update };
  }

  /** The next number of a counter, from 0. */
  count(counter: 'message_count' | 'text_count' | 'output_count' | 'inbox_count'): number {
    const number = this.#row[counter];
    this.set({ [counter]: number + 1 });
    return number;
  }

  /** Stored with the session's row, at the end. */
  appendEvents(events: readonly NewEvent[]): readonly StoredEvent[] {
    if (events.length > 0) this.tellNews();
    return events.map((event) => this.#appendEvent(event));
  }

  save(): Promise<void> {
    return this.saveAsOf(Math.max(this.nowMs, this.#row.updated_at_ms));
  }

  async saveAsOf(updatedAtMs: number): Promise<void> {
    await this.#saveEvents();
    const update = { ...this.#update, updated_at_ms: updatedAtMs };
    await this.tx.updateTable('sessions').set(update).where('key', '=', this.key).execute();
  }

  #appendEvent(event: NewEvent): StoredEvent {
    const { type, data, ends } = event;
    const runId = event.runId ?? null;
    const seq = this.#row.event_count + 1;
    this.set({ event_count: seq });
    if (ends !== undefined) this.#ended.set(ends, seq);
    const at_ms = this.nowMs;
    const row = { session_key: this.key, seq, type, run_id: runId, chunk_of: event.chunkOf ?? null, at_ms };
    this.#events.push({ ...row, data: JSON.stringify(data) });
    return { seq, type, data, runId, atMs: at_ms };
  }

  async #saveEvents(): Promise<void> {
    for (let first = 0; first < this.#events.length; first += eventsPerInsert) {
      const rows = this.#events.slice(first, first + eventsPerInsert);
      await this.tx.insertInto('events').values(rows).execute();
    }
    for (const [chunkOf, seq] of this.#ended) {
      await this.tx
        .deleteFrom('events')
        .where('session_key', '=', this.key)
        .where('chunk_of', '=', chunkOf)
        .where('seq', '<', seq)
        .execute();
    }
    this.#events = [];
    this.#ended.clear();
  }
}

/** @throws {ContextError} `not-found` */
export async function sessionRow(tx: Tables, sessionId: string): Promise<SessionRow> {
  const row = await visibleSession(tx, sessionId).executeTakeFirst();
  if (!row) throw notFound('session', sessionId);
  return row;
}

/**
 * The row of a session that is about to be changed: nobody else changes the session until the transaction ends.
 *
 * @throws {ContextError} `not-found`
 */
export async function rowToChange(
  tx: Tx,
  { locksRows }: Pick<Surroundings, 'locksRows'>,
  sessionId: string,
): Promise<SessionRow> {
  const row = await visibleSession(tx, sessionId)
    .$if(locksRows, (locked) => locked.forUpdate())
    .executeTakeFirst();
  if (!row) throw notFound('session', sessionId);
  return row;
}

function visibleSession(tx: Tables, sessionId: string) {
  return tx.selectFrom('sessions').selectAll().where('id', '=', sessionId).where('is_hidden', '=', visible);
}
