import type { Checkpoint, ContextState } from '@throughline/core';
import type { Json, SessionMessage } from '@throughline/core/codec';
import type { InboxItem, WaitingItem } from './inbox.ts';
import type { NewEvent, StoredEvent } from './journal.ts';
import type { PartMarks } from './history.ts';
import type { SessionStatus } from './sessions.ts';

/** A part of a message in the form in which sessions are stored. */
export type StoredPart = SessionMessage['parts'][number];

/** A message that is to be stored at the end of the history. */
export interface NewMessage {
  /** Stored as it is; an empty id is replaced by one of the id source. */
  readonly message: SessionMessage;
  /** One per part, as far as there are any. */
  readonly marks?: readonly PartMarks[];
  /** More parts follow. @default false */
  readonly isOpen?: boolean;
  readonly model?: string;
  readonly error?: string;
  readonly parentId?: string;
}

/** Fields that an open message gets at its end: what was told by then (`usage`, `finishReason`, `meta` …). */
export type MessageEnd = Omit<Partial<SessionMessage>, 'id' | 'role' | 'parts'>;

/**
 * One thing a run stores. A list of them is one transaction. What is finished is never changed again: parts are added
 * to open messages only, text to unfinished parts only. Parts of a message count from 0.
 */
export type RunWrite =
  | ({ readonly type: 'message' } & NewMessage)
  /** A whole part, or one that `text` goes on with. */
  | {
      readonly type: 'part';
      readonly messageId: string;
      readonly part: StoredPart;
      readonly marks?: PartMarks;
      readonly isOpen?: boolean;
    }
  /** Streamed text for an unfinished text or reasoning part: only what is new. */
  | { readonly type: 'text'; readonly messageId: string; readonly part: number; readonly text: string }
  /** `content` is the whole part; absent: what was streamed. */
  | {
      readonly type: 'finish-part';
      readonly messageId: string;
      readonly part: number;
      readonly content?: StoredPart;
      readonly marks?: PartMarks;
    }
  /** Parts that are still unfinished end with what they have. */
  | {
      readonly type: 'finish-message';
      readonly messageId: string;
      readonly fields?: MessageEnd;
      readonly error?: string;
    }
  /** The state of the next step. Its `head` may be any stored checkpoint: undo and redo are this write. */
  | { readonly type: 'state'; readonly state: ContextState }
  /** A compaction: checkpoint, changes, head and counters. */
  | {
      readonly type: 'checkpoint';
      readonly checkpoint: Checkpoint;
      readonly state: ContextState;
      /** What it took: whatever the agent wants to be told again. */
      readonly cost?: Json;
    }
  /**
   * Takes all that waits out of the inbox, or of it only the item of this id. `compose` says what it becomes, the
   * message included; it is not called when nothing is taken. It runs inside the transaction: nothing can be accepted,
   * edited or removed meanwhile.
   */
  | {
      readonly type: 'deliver';
      readonly only?: string;
      /** The run that takes them. */
      readonly runId?: string;
      readonly compose: (waiting: readonly WaitingItem[]) => {
        readonly message: NewMessage;
        readonly events?: readonly NewEvent[];
      };
    }
  | { readonly type: 'event'; readonly event: NewEvent }
  /** Tokens that were used, for the account of the session's owner. */
  | { readonly type: 'usage'; readonly tokens: number }
  /** Begins a run, or goes on under this lease with one that has not ended. */
  | { readonly type: 'run-started'; readonly runId: string }
  | { readonly type: 'run-ended'; readonly runId: string; readonly outcome: Json }
  | { readonly type: 'approval'; readonly id: string; readonly request: Json }
  /** Its call has the answer: the question goes. Nothing happens where there is none. */
  | { readonly type: 'approval-used'; readonly id: string }
  /** A named value of the session: todos, found tools. `null` takes it away. */
  | { readonly type: 'value'; readonly name: string; readonly value: Json }
  | { readonly type: 'status'; readonly status: SessionStatus }
  | { readonly type: 'model'; readonly model: string };

/** What a write came to, in its order. */
export interface Written {
  /** Messages that were begun. */
  readonly messages: readonly { readonly id: string; readonly ordinal: number }[];
  /** Publish them now: they are stored. */
  readonly events: readonly StoredEvent[];
  readonly delivered: readonly InboxItem[];
}
