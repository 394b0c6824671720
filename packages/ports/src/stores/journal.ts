import type { Json } from '@throughline/core/codec';

export interface NewEvent {
  readonly type: string;
  readonly data: Json;
  readonly runId?: string;
  /** It tells a piece of what an event that `ends` the same key will tell whole. */
  readonly chunkOf?: string;
  /** It tells the whole: the chunks of this key are taken out of the journal. */
  readonly ends?: string;
}

export interface StoredEvent {
  /** Counts up in its session; numbers of chunks that were merged are missing. */
  readonly seq: number;
  readonly type: string;
  readonly data: Json;
  readonly runId: string | null;
  readonly atMs: number;
}

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
}

/** Runs and events. Everything here is `not-found` when there is no such session. */
export interface Journal {
  /** Stores events outside a run: all of them or none. */
  append(sessionId: string, events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /** Events with a greater number, in order, at most `limit`. */
  after(sessionId: string, seq: number, limit?: number): Promise<readonly StoredEvent[]>;
  /** Runs of a session, oldest first. */
  runs(sessionId: string): Promise<readonly StoredRun[]>;
  /** All sessions with a run that has not ended, but for one that came with an import, or with messages that wait. */
  unfinished(): Promise<readonly UnfinishedSession[]>;
}
