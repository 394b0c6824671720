import { notFound } from './failures.ts';
import type { Clock, IdSource, StoredEvent, NewEvent } from '@throughline/ports';
import type { KnownChanges } from './known-changes.ts';
import type { Schema, SessionRow, Tx } from './schema.ts';
import type { TextIndex } from './text-index.ts';
import type { Updateable } from 'kysely';

/** Tells processes that live from those that have died, as far as that is certain. */
export interface Presence {
  /** Of this process; `null` where others could not tell. */
  readonly name: string | null;
  readonly isDead: (name: string) => boolean;
}

/** What all parts of a store work with. */
export interface Surroundings {
  readonly presence: Presence;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly textIndex: TextIndex;
  readonly knownChanges: KnownChanges;
}

type SessionUpdate = Updateable<Schema['sessions']>;

/**
 * A transaction on one session. Its row is read once and written once, at the end: counters count in memory. What
 * nobody else may see before it is stored waits in `afterwards`.
 */
export class SessionTransaction {
  readonly tx: Tx;
  readonly around: Surroundings;
  readonly nowMs: number;
  readonly afterwards: (() => void)[] = [];
  #row: SessionRow;
  #update: SessionUpdate = {};

  private constructor(tx: Tx, around: Surroundings, row: SessionRow) {
    this.tx = tx;
    this.around = around;
    this.nowMs = around.clock.nowMs();
    this.#row = row;
  }

  /** @throws {ContextError} `not-found` */
  static async open(tx: Tx, around: Surroundings, sessionId: string): Promise<SessionTransaction> {
    return new SessionTransaction(tx, around, await sessionRow(tx, sessionId));
  }

  /** On one that nobody sees yet. */
  static async openHidden(tx: Tx, around: Surroundings, key: number): Promise<SessionTransaction> {
    const row = await tx.selectFrom('sessions').selectAll().where('key', '=', key).executeTakeFirstOrThrow();
    return new SessionTransaction(tx, around, row);
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

  async appendEvents(events: readonly NewEvent[]): Promise<readonly StoredEvent[]> {
    const stored: StoredEvent[] = [];
    for (const event of events) stored.push(await this.#appendEvent(event));
    return stored;
  }

  save(): Promise<void> {
    return this.saveAsOf(Math.max(this.nowMs, this.#row.updated_at_ms));
  }

  async saveAsOf(updatedAtMs: number): Promise<void> {
    const update = { ...this.#update, updated_at_ms: updatedAtMs };
    await this.tx.updateTable('sessions').set(update).where('key', '=', this.key).execute();
  }

  async #appendEvent({ type, data, runId, chunkOf, ends }: NewEvent): Promise<StoredEvent> {
    const seq = this.#row.event_count + 1;
    this.set({ event_count: seq });
    if (ends !== undefined) {
      await this.tx
        .deleteFrom('events')
        .where('session_key', '=', this.key)
        .where('chunk_of', '=', ends)
        .execute();
    }
    const at_ms = this.nowMs;
    await this.tx
      .insertInto('events')
      .values({
        session_key: this.key,
        seq,
        type,
        run_id: runId ?? null,
        chunk_of: chunkOf ?? null,
        at_ms,
        data: JSON.stringify(data),
      })
      .execute();
    return { seq, type, data, runId: runId ?? null, atMs: at_ms };
  }
}

/** @throws {ContextError} `not-found` */
export async function sessionRow(tx: Tx, sessionId: string): Promise<SessionRow> {
  const row = await tx
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', sessionId)
    .where('is_hidden', '=', 0)
    .executeTakeFirst();
  if (!row) throw notFound('session', sessionId);
  return row;
}
