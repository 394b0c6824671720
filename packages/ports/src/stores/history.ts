import type { Checkpoint, ContextState } from '@throughline/core';
import type { Json, SessionMessage } from '@throughline/core/codec';
import type { Change } from '@throughline/core/types';

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; `null` on the last one. */
  readonly next: string | null;
}

/** What is known of a part beside its content. */
export interface PartMarks {
  /** The output was cut before it was stored; the whole is an output of its own. */
  readonly isTruncated?: boolean;
  /** The call was cancelled before or while it ran: what stands here is no failure of the tool. */
  readonly isCancelled?: boolean;
}

/** The marks of a part as it was stored. */
export interface StoredMarks extends PartMarks {
  /** When the view showed a placeholder in its place for the first time; absent while it shows the part. */
  readonly compactedAtMs?: number;
}

/** A message as it was stored, and where it stands. */
export interface StoredMessage {
  /** Position in the full history: the `m12` of a recall id. */
  readonly ordinal: number;
  readonly message: SessionMessage;
  /** It was being written when it was read, or when its writer died: text may be missing at the end. */
  readonly isOpen: boolean;
  readonly createdAtMs: number;
  /** One per part. */
  readonly marks: readonly StoredMarks[];
  readonly model?: string;
  readonly error?: string;
  readonly parentId?: string;
}

/** What the next step needs of a session, and nothing that its view does not show. */
export interface StoredContext {
  /** `undefined` before the first was stored: begin with an empty one. */
  readonly state: ContextState | undefined;
  /** Increasing ordinals; some are missing where a summary stands. */
  readonly messages: readonly StoredMessage[];
  /** Length of the full history. */
  readonly historyLength: number;
}

/** A checkpoint as it was stored, with what it came to. */
export interface StoredCheckpoint {
  readonly checkpoint: Checkpoint;
  /** Round and text of the summary it made; `null` where it made none. */
  readonly round: number | null;
  readonly summary: string | null;
  /** Messages `[first, end)` it compacted or dropped; `null` where none. */
  readonly range: { readonly first: number; readonly end: number } | null;
  /** As it was written; `null` where nothing was. May come from a file of somebody else. */
  readonly cost: Json;
  readonly createdAtMs: number;
}

/** One page of a session's history. */
export interface HistoryQuery {
  /** `next` of the page before, or the number of a message: the page ends before it. Absent: the newest page. */
  readonly cursor?: string;
  /** @default 50 */
  readonly limit?: number;
}

/** Something archived, as text. */
export interface RecalledText {
  readonly id: string;
  readonly role?: string;
  readonly text: string;
}

/** A text of a session in which a search found its query. */
export interface SearchHit {
  /** Takes one to the whole: `m12`, `m12.3` or, for a whole output, `o7`. */
  readonly id: string;
  readonly role?: string;
  /** The text around the hit. */
  readonly excerpt: string;
}

/** Reads what was said. Everything here is `not-found` when there is no such session. */
export interface History {
  /**
   * State and messages for the next step: those that the view of `changes` shows. Costs what is shown, whatever the
   * length of the history.
   *
   * @param changes those of a former state, for a preview. @default the ones in force
   * @throws {ContextError} `bad-state` when what is stored is no state of this version.
   */
  context(sessionId: string, changes?: readonly Change[]): Promise<StoredContext>;
  /** Messages `[first, end)`. */
  messages(sessionId: string, first: number, end: number): Promise<readonly StoredMessage[]>;
  /** The message of this id. */
  find(sessionId: string, messageId: string): Promise<StoredMessage | undefined>;
  /** The newest page first; inside a page the order is that of the history. */
  page(sessionId: string, query?: HistoryQuery): Promise<Page<StoredMessage>>;
  /** All checkpoints, oldest first, undone ones included. Which is in force says the state's `head`. */
  checkpoints(sessionId: string): Promise<readonly StoredCheckpoint[]>;
  /** What a recall id stands for, as it was, whatever the view shows of it. */
  recall(sessionId: string, recallId: string): Promise<RecalledText | undefined>;
  /**
   * Where the text stands, whatever its case: newest first.
   *
   * @param limit @default 20
   */
  search(sessionId: string, query: string, limit?: number): Promise<readonly SearchHit[]>;
}
