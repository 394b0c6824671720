import type { Generated, Kysely, Selectable, Transaction } from 'kysely';
import type { ProxySchema } from './proxy-schema.ts';

/**
 * The tables, as the queries see them. Everything that people or models wrote is JSON text: it keeps lone surrogates
 * and NUL, which a text column does not.
 */
export interface Schema extends ProxySchema {
  readonly sessions: {
    readonly key: Generated<number>;
    readonly id: string;
    /** 1 while it is imported, and once it is deleted: nobody sees it. */
    readonly is_hidden: number;
    readonly title: string | null;
    readonly owner: string;
    readonly folder: string;
    readonly model: string | null;
    readonly status: string;
    readonly created_at_ms: number;
    readonly updated_at_ms: number;
    /** Also the next ordinal. */
    readonly message_count: number;
    /** Parts and outputs so far; see `text-key.ts`. */
    readonly text_count: number;
    readonly output_count: number;
    /** Also the number of the newest event. */
    readonly event_count: number;
    readonly inbox_count: number;
    readonly compaction_count: number;
    readonly last_compaction_at_ms: number | null;
    readonly head_checkpoint: string | null;
    /** The session it is a copy of, as far as `forked_at` messages go. */
    readonly parent_id: string | null;
    readonly forked_at: number | null;
    /** Id of the first session that it, or what it is a copy of, was copied from; its own where it is no copy. */
    readonly family: string;
    /** The context state without its changes, JSON. */
    readonly state: string | null;
    /** Counts writes of the state: tells whether the list of changes is the one known. */
    readonly state_version: number;
    readonly lease_owner: string | null;
    /** The process that holds the lease, where its death could be seen. */
    readonly lease_holder: string | null;
    readonly lease_epoch: number;
    readonly lease_expires_at_ms: number;
    /** The lease whose run is to be cancelled; a later one is not. */
    readonly cancel_epoch: number;
  };
  readonly messages: {
    readonly session_key: number;
    readonly ordinal: number;
    readonly id: string;
    readonly role: string;
    readonly model: string | null;
    readonly finish_reason: string | null;
    readonly error: string | null;
    readonly parent_id: string | null;
    readonly is_open: number;
    readonly created_at_ms: number;
    /** The message, with an empty list where its parts stand. */
    readonly head: string;
  };
  readonly parts: {
    readonly key: number;
    readonly session_key: number;
    readonly ordinal: number;
    readonly part: number;
    readonly type: string;
    readonly content: string;
    readonly is_truncated: number;
    readonly is_cancelled: number;
    readonly compacted_at_ms: number | null;
    readonly is_open: number;
  };
  /** Streamed text of unfinished parts, in pieces. */
  readonly part_texts: {
    readonly key: Generated<number>;
    readonly part_key: number;
    readonly text: string;
  };
  /** The changes in force. */
  readonly changes: {
    readonly session_key: number;
    readonly position: number;
    readonly change: string;
  };
  readonly checkpoints: {
    readonly session_key: number;
    readonly id: string;
    readonly position: number;
    readonly parent: string | null;
    readonly round: number | null;
    readonly reason: string;
    readonly strategy: string;
    readonly tokens_before: number;
    readonly tokens_after: number;
    readonly range_first: number | null;
    readonly range_end: number | null;
    readonly summary: string | null;
    readonly cost: string | null;
    readonly created_at_ms: number;
    readonly checkpoint: string;
  };
  readonly inbox: {
    readonly session_key: number;
    readonly position: number;
    readonly id: string;
    readonly state: string;
    readonly content: string;
    readonly accepted_at_ms: number;
    readonly updated_at_ms: number;
    readonly message_id: string | null;
    readonly run_id: string | null;
  };
  readonly runs: {
    readonly session_key: number;
    readonly position: number;
    readonly id: string;
    readonly epoch: number;
    readonly started_at_ms: number;
    readonly ended_at_ms: number | null;
    readonly outcome: string;
  };
  readonly events: {
    readonly session_key: number;
    readonly seq: number;
    readonly type: string;
    readonly run_id: string | null;
    readonly chunk_of: string | null;
    readonly at_ms: number;
    readonly data: string;
  };
  readonly approvals: {
    readonly session_key: number;
    readonly id: string;
    readonly position: number;
    readonly request: string;
    readonly requested_at_ms: number;
    readonly answer: string | null;
  };
  /** Without a session: for all. */
  readonly grants: {
    readonly key: Generated<number>;
    readonly session_key: number | null;
    readonly permission: string;
  };
  readonly session_values: {
    readonly session_key: number;
    readonly name: string;
    readonly value: string;
  };
  readonly outputs: {
    readonly key: number;
    readonly session_key: number;
    readonly number: number;
    readonly call_id: string;
    readonly hash: string;
    readonly created_at_ms: number;
  };
  /** Tokens of a session by the hour since 1970; they stay when the session is deleted. */
  readonly owner_usage: {
    readonly owner: string;
    readonly hour: number;
    readonly session_key: number;
    readonly tokens: number;
  };
  /** What holds for all sessions; one row. */
  readonly settings: { readonly key: number; readonly revision: number; readonly value: string };
  readonly blobs: { readonly hash: string; readonly size_bytes: number };
  readonly session_blobs: {
    readonly session_key: number;
    readonly hash: string;
    readonly media_type: string | null;
  };
}

/** An open transaction: the only way to a table, so that nothing can wait for the connection it holds itself. */
export type Tx = Transaction<Schema>;
/** A transaction, or none: for what only reads. */
export type Tables = Pick<Kysely<Schema>, 'selectFrom'>;

export type SessionRow = Selectable<Schema['sessions']>;
