import type { Change } from '@throughline/core/types';
import type { Selectable } from 'kysely';
import type { Schema } from './schema.ts';

export type MessageRow = Selectable<Schema['messages']>;
/** What is decided by, of a part. */
export type KnownPart = Pick<Selectable<Schema['parts']>, 'key' | 'ordinal' | 'part' | 'content' | 'is_open'>;

/**
 * Messages and parts of a session that a transaction has read or stored: nobody else changes them before it ends, so
 * they are not asked for again.
 */
export class KnownRows {
  /** The list of changes that it has stored. */
  changes: StoredChanges | undefined;
  readonly #messages = new Map<string, MessageRow>();
  readonly #parts = new Map<string, KnownPart>();
  readonly #partCounts = new Map<number, number>();

  message(id: string): MessageRow | undefined {
    return this.#messages.get(id);
  }

  setMessage(row: MessageRow): void {
    this.#messages.set(row.id, row);
  }

  part(ordinal: number, part: number): KnownPart | undefined {
    return this.#parts.get(`${ordinal}.${part}`);
  }

  setPart(row: KnownPart): void {
    this.#parts.set(`${row.ordinal}.${row.part}`, row);
  }

  /** How many parts a message has, where that is known. */
  partCount(ordinal: number): number | undefined {
    return this.#partCounts.get(ordinal);
  }

  setPartCount(ordinal: number, count: number): void {
    this.#partCounts.set(ordinal, count);
  }
}

/** A list of changes as it was stored, with the text of each. */
export interface StoredChanges {
  readonly version: number;
  readonly changes: readonly Change[];
  readonly texts: readonly string[];
}

const rememberedSessions = 64;

/**
 * The lists of changes that were written or read last: a step adds a few to a long list, and only those are stored.
 * A list is good for one version of the session's state; another process's write makes it a stranger.
 */
export class KnownChanges {
  readonly #bySession = new Map<number, StoredChanges>();

  get(sessionKey: number, version: number): StoredChanges | undefined {
    const known = this.#bySession.get(sessionKey);
    return known?.version === version ? known : undefined;
  }

  set(sessionKey: number, stored: StoredChanges): void {
    this.#bySession.delete(sessionKey);
    this.#bySession.set(sessionKey, stored);
    if (this.#bySession.size <= rememberedSessions) return;
    for (const oldest of this.#bySession.keys()) {
      this.#bySession.delete(oldest);
      return;
    }
  }
}
