import type { ContextState } from '@throughline/core';
import type { Json } from '@throughline/core/codec';
import type { Page, SearchHit } from './history.ts';
import type { NewEvent, StoredEvent } from './journal.ts';

/** What a session is doing, for those who look at it. Who may work on it is the lease's affair. */
export type SessionStatus = 'idle' | 'running' | 'compacting' | 'waiting';

/** A session without its history. Plain JSON. */
export interface SessionInfo {
  readonly id: string;
  readonly title: string | null;
  /** To whom it belongs; empty where there is only one user. */
  readonly owner: string;
  /** The folder that it works in, absolute; empty where it works in none, or nobody said. */
  readonly folder: string;
  readonly model: string | null;
  readonly status: SessionStatus;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly messageCount: number;
  /** Number of the newest event; 0 before the first. */
  readonly lastEventSeq: number;
  /** Compactions made so far, also undone ones. */
  readonly compactionCount: number;
  readonly lastCompactionAtMs: number | null;
  readonly headCheckpoint: string | null;
  /** The session it was forked from; that one may be deleted since. `null` where it is no fork. */
  readonly parentSessionId: string | null;
  /** Messages that it took over from there: its own begin at this ordinal. */
  readonly forkedAt: number | null;
  /** The same for all sessions that were forked from one another: the id of the first. */
  readonly family: string;
}

/** A new session with the beginning of another. */
export interface Fork {
  /** Messages `[0, end)` come along. */
  readonly end: number;
  /** @default one of the id source */
  readonly id?: string;
  /** `null`: none. @default that of the other session */
  readonly title?: string | null;
  /** The state after those messages. Its head is a checkpoint that saw no more than they are. @default none was stored yet */
  readonly state?: ContextState;
  /** Named values that it begins with. */
  readonly values?: { readonly [name: string]: Json };
}

/** What a new session begins with. */
export interface NewSession {
  /** @default one of the id source */
  readonly id?: string;
  readonly title?: string;
  /** @default '' */
  readonly owner?: string;
  /** @default '' */
  readonly folder?: string;
  /** The name of the model that it was last used with. A store calls none. @default none was used yet */
  readonly model?: string;
}

/** Which sessions are listed: those for which all hold. */
export interface SessionQuery {
  /** Only sessions of this owner. */
  readonly owner?: string;
  /** Only sessions that work in this folder. */
  readonly folder?: string;
  /** Only sessions that were forked from one another. */
  readonly family?: string;
  /** Only sessions that were touched at this time or later. */
  readonly updatedSinceMs?: number;
  /** Only the session of each family that was touched last; families of two owners are two. @default false */
  readonly isNewestOfFamily?: boolean;
  /** `next` of the page before. */
  readonly cursor?: string;
  /** @default 50 */
  readonly limit?: number;
}

/** A search in the sessions of a store. `limit` is 20 sessions unless stated. */
export interface SessionSearch extends Pick<
  SessionQuery,
  'owner' | 'folder' | 'updatedSinceMs' | 'cursor' | 'limit'
> {
  readonly query: string;
  /** Most hits of one session, the newest. @default 3 */
  readonly hitsPerSession?: number;
}

/** A session in which something was found. */
export interface FoundSession {
  readonly session: SessionInfo;
  /** Newest first. */
  readonly hits: readonly SearchHit[];
}

/** The sessions of a store, without their leases. */
export interface Sessions {
  /** @throws {ContextError} `already-exists` when the id is taken. */
  create(session?: NewSession): Promise<SessionInfo>;
  /** @throws {ContextError} `not-found` */
  read(sessionId: string): Promise<SessionInfo>;
  /** The one touched last comes first. */
  list(query?: SessionQuery): Promise<Page<SessionInfo>>;
  /**
   * Where the text stands in all sessions, whatever its case; the one touched last comes first. A page may hold fewer
   * than `limit` sessions, or none, and still have a next one: so many are looked through at a time.
   */
  search(query: SessionSearch): Promise<Page<FoundSession>>;
  /**
   * The events are stored with the title: publish them then.
   *
   * @param options `inPlaceOf`: where the session has another title than this (`null`: any), nothing happens, and no
   *   event is stored; `value`: a named value of the session that is stored with the title
   * @throws {ContextError} `not-found`
   */
  rename(
    sessionId: string,
    title: string,
    events?: readonly NewEvent[],
    options?: {
      readonly inPlaceOf?: string | null;
      readonly value?: { readonly name: string; readonly value: Json };
    },
  ): Promise<readonly StoredEvent[]>;
  /**
   * Deletes the session with all that belongs to it, blobs that no other session refers to included. A run that still
   * works on it loses its lease. `false` when there was none.
   */
  delete(sessionId: string): Promise<boolean>;
  /**
   * A new session of the same owner, folder and model with the beginning of this one: messages, media, whole outputs,
   * and the checkpoints that saw no more of it. From then on the two have nothing to do with each other. What waits,
   * runs, events, approvals and permissions stay where they are. It may be made while a run goes on.
   *
   * @throws {ContextError} `not-found`; `already-exists` when the id is taken; `invalid-option` for an end behind the
   * history.
   */
  fork(sessionId: string, fork: Fork): Promise<SessionInfo>;
  /**
   * The session as JSONL, one line at a time, without line ends: what it was when the first line was read.
   *
   * @throws {ContextError} `not-found`
   */
  export(sessionId: string): AsyncIterable<string>;
  /**
   * The session of an export, as it was, under `id` or else the id it had, for `owner` or else whose it was, in `folder`
   * or else where it worked; all of it or nothing. Questions to the user and permissions are in no export, and none is
   * taken from one: a file may be from somebody else.
   *
   * @throws {ContextError} `unreadable-file` with the line; `already-exists` when the id is taken.
   */
  import(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: { readonly id?: string; readonly owner?: string; readonly folder?: string },
  ): Promise<SessionInfo>;
}
