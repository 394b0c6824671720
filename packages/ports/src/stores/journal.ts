import type { Json } from '@throughline/core/codec';

/** An event that is to be stored. */
export interface NewEvent {
  readonly type: string;
  readonly data: Json;
  readonly runId?: string;
  /** It tells a piece of what an event that `ends` the same key will tell whole. */
  readonly chunkOf?: string;
  /** It tells the whole: the chunks of this key are taken out of the journal. */
  readonly ends?: string;
}

/** An event as it was stored. */
export interface StoredEvent {
  /** Counts up in its session; numbers of chunks that were merged are missing. */
  readonly seq: number;
  readonly type: string;
  readonly data: Json;
  readonly runId: string | null;
  readonly atMs: number;
}

/** A run as it was stored. */
export interface StoredRun {
  readonly id: string;
  readonly sessionId: string;
  /** Epoch of the lease it was last started under; 0 for one that came with an import. */
  readonly epoch: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  /** What the agent says of how it ended; `null` while it runs, or when its process died. */
  readonly outcome: Json;
}

/** A session in which something is left to do, or is being done. */
export interface UnfinishedSession {
  readonly sessionId: string;
  /** A run has not ended: it is busy, or its process has died. */
  readonly hasOpenRun: boolean;
  /** Messages wait. */
  readonly hasWaiting: boolean;
  /** Somebody holds it until then, or as long as it is renewed; `null` when nobody does. */
  readonly leasedUntilMs: number | null;
  readonly lastEventSeq: number;
}

/** A session in which something was stored. */
export interface ChangedSession {
  readonly sessionId: string;
  /** Number of its newest event; 0 where there is none. */
  readonly lastEventSeq: number;
}

/** Which runs; where several are named, those for which all hold. */
export interface RunQuery {
  readonly id?: string;
  /** Only those that have not ended. */
  readonly isOpen?: true;
  /** The newest so many. @default all */
  readonly limit?: number;
}

/** Runs and events. What is asked of one session is `not-found` when there is no such session. */
export interface Journal {
  /** Stores events outside a run: all of them or none. */
  append(sessionId: string, events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * Events with a greater number, in order.
   *
   * @param limit the most that are given. @default 1 000
   */
  after(sessionId: string, seq: number, limit?: number): Promise<readonly StoredEvent[]>;
  /** Runs of a session, oldest first. A session that is used for months has thousands. @default all */
  runs(sessionId: string, query?: RunQuery): Promise<readonly StoredRun[]>;
  /** All sessions with a run that has not ended, but for one that came with an import, or with messages that wait. */
  unfinished(): Promise<readonly UnfinishedSession[]>;
  /**
   * Those of them that nobody holds: whose process has died or stopped, or has left its lease to run out. Messages that
   * came within the last `waitingForMs` are left to the process that took them. What another process is just about to
   * take may be left out.
   */
  abandoned(query: { readonly waitingForMs: number }): Promise<readonly UnfinishedSession[]>;
  /**
   * Sessions in which something was stored at that time or since; none without a time. Times of the store, as `asOfMs`
   * is: what is just being stored elsewhere may come with an earlier one.
   */
  changed(
    sinceMs?: number,
  ): Promise<{ readonly asOfMs: number; readonly sessions: readonly ChangedSession[] }>;
  /** Number of the newest event that is older than that; 0 where there is none. */
  seqBefore(sessionId: string, atMs: number): Promise<number>;
  /**
   * Told when another process has stored something: the id of the session, or `undefined` where it may have been any.
   * Only a hint, which may come twice or never: `changed` tells for certain.
   */
  onNews(listener: (sessionId: string | undefined) => void): Disposable;
}
