import type { RunOutcome } from './run.ts';

/** A piece of what a user sends. `data` is base64, without `data:` before it. */
export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly data: string;
      readonly mediaType: string;
      readonly filename?: string;
    }
  | {
      readonly type: 'file';
      readonly data: string;
      readonly mediaType: string;
      readonly filename?: string;
    };

/** What a user sends: a text, or texts, images and files in their order. */
export type UserContent = string | readonly UserPart[];

export interface SendMessageRequest {
  /** The session; a new one where it is absent. */
  readonly sessionId?: string;
  /** Id of the message. The same id a second time is sent once: a client may try again. */
  readonly messageId?: string;
  readonly content: UserContent;
}

/** What became of a message. It is stored in both cases. */
export type SendMessageAnswer = MessageStarted | MessageQueued;

/** A run was begun with it. */
export interface MessageStarted {
  readonly ok: true;
  readonly queued: false;
  readonly sessionId: string;
  readonly messageId: string;
  /** Empty where the message was sent before, and its run is over. */
  readonly runId: string;
}

/** A run is busy: the message is taken at its next step. */
export interface MessageQueued {
  readonly ok: true;
  readonly queued: true;
  readonly sessionId: string;
  readonly messageId: string;
  /** 1 for the next. */
  readonly position: number;
  /** A sentence for people. */
  readonly message: string;
}

/** The answer with `?wait=true`. */
export interface MessageAnswered extends MessageStarted {
  readonly outcome: RunOutcome | null;
  /** All that the model said to it, one text after the other. */
  readonly reply: string;
}

/** A message that waits. */
export interface WaitingMessage {
  readonly id: string;
  /** 1 for the next. */
  readonly position: number;
  readonly parts: readonly WaitingPart[];
  readonly acceptedAtMs: number;
  readonly updatedAtMs: number;
}

/** Bytes are kept beside: `url` is the address of a blob. */
export type WaitingPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'media';
      readonly mediaType: string;
      readonly url: string;
      readonly filename?: string;
    };

export interface Queue {
  readonly items: readonly WaitingMessage[];
}

/** At least one of the two. */
export interface ChangeWaitingRequest {
  readonly content?: UserContent;
  /** Where it is to stand, 1 for the next. */
  readonly position?: number;
}

export interface QueueCleared {
  readonly ok: true;
  /** How many messages waited. */
  readonly removed: number;
}
