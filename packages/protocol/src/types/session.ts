import type { SearchHit } from './history.ts';
import type { SendMessageAnswer, UserContent } from './message.ts';

export type SessionStatus = 'idle' | 'running' | 'compacting' | 'waiting';

/** A session without its history. */
export interface Session {
  readonly id: string;
  readonly title: string | null;
  /** The folder that it works in; empty where it works in none. */
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
  /** The session it was forked from; that one may be deleted since. */
  readonly parentSessionId: string | null;
  /** Messages that it took over from there. */
  readonly forkedAt: number | null;
  /** The same for all sessions that were forked from one another. */
  readonly family: string;
}

/** A session as it is now. */
export interface SessionDetail extends Session {
  /** A run is busy in this process. */
  readonly isRunning: boolean;
  /** Messages that wait. */
  readonly waitingCount: number;
  /** Questions that wait for an answer. */
  readonly pendingApprovals: number;
  /** Events behind this number tell all of the step that is under way; `null` where none is. */
  readonly openStepAfterSeq: number | null;
}

export interface CreateSessionRequest {
  readonly title?: string;
  /** One of `GET /api/models`. */
  readonly model?: string;
}

export interface RenameSessionRequest {
  readonly title: string;
}

/** The last message that comes along: its id, or its place in the history, from 0. */
export interface ForkSessionRequest {
  /** @default the newest */
  readonly at?: string | number;
  readonly title?: string;
}

/** A user message said again in other words, in a session of its own that has what was before it. */
export interface BranchSessionRequest {
  /** The user message: its id, or its place in the history, from 0. */
  readonly at: string | number;
  readonly content: UserContent;
  /** Id of the message that is sent. */
  readonly messageId?: string;
  readonly title?: string;
}

/** The new session, and what became of the message that was sent to it. */
export interface BranchAnswer {
  readonly session: Session;
  readonly sent: SendMessageAnswer;
}

/** What became of a file. */
export interface ImportedSession extends Session {
  /** Whose recording it was: `throughline`, or a format of another tool. */
  readonly format: string;
  /** What of it was left out, or could not be read: a sentence each. */
  readonly notes: readonly string[];
}

/** A session in which something was found. */
export interface FoundSession {
  readonly session: Session;
  /** Newest first. */
  readonly hits: readonly SearchHit[];
}

export interface Ok {
  readonly ok: true;
}

export interface SwitchModelRequest {
  /** One of `GET /api/models`. */
  readonly model: string;
}

export type SwitchModelAnswer =
  | { readonly type: 'switched'; readonly wasCompacted: boolean }
  | { readonly type: 'cannot-fit'; readonly usableTokens: number; readonly requestTokens: number };

export interface ModelList {
  /** The one new sessions begin with. */
  readonly default: string;
  readonly items: readonly { readonly name: string }[];
}
