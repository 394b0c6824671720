import type { Json } from './json.ts';

/** A piece of a message. Further fields may follow. */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'call';
      readonly callId: string;
      readonly name: string;
      readonly input: Json;
      readonly isProviderExecuted?: boolean;
    }
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly name: string;
      readonly content: readonly ResultContent[];
      readonly isError?: boolean;
      readonly isProviderExecuted?: boolean;
    }
  | MediaPart
  | { readonly type: 'opaque'; readonly value: Json };

/** Bytes that are kept beside have an address as `url`. */
export interface MediaPart {
  readonly type: 'media';
  readonly mediaType: string;
  readonly source:
    | { readonly type: 'base64'; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
  readonly filename?: string;
}

export type ResultContent = { readonly type: 'text'; readonly text: string } | MediaPart;

/** What is known of a part beside its content. */
export interface PartMark {
  /** The output was cut before it was stored; the whole can be recalled. */
  readonly isTruncated?: boolean;
  /** The call was cancelled, before it began or while it ran; its result has `isError`, too. */
  readonly isCancelled?: boolean;
  /** When the model saw a placeholder in its place for the first time. */
  readonly compactedAtMs?: number;
}

export interface HistoryMessage {
  /** Its place in the history, from 0: the `m12` of a recall id. */
  readonly ordinal: number;
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly MessagePart[];
  /** One per part. */
  readonly marks: readonly PartMark[];
  /** It is being written. */
  readonly isOpen: boolean;
  readonly createdAtMs: number;
  readonly model?: string;
  readonly error?: string;
  readonly finishReason?: string;
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
  };
  /** What the program wrote itself says what it is here, and coalesced messages what they were. */
  readonly meta?: { readonly [key: string]: Json };
}

export interface SearchHit {
  /** Takes one to the whole: `m12`, `m12.3` or, for a whole output, `o7`. */
  readonly id: string;
  readonly role?: string;
  /** The text around the hit. */
  readonly excerpt: string;
}

export interface SearchResult {
  /** Newest first. */
  readonly items: readonly SearchHit[];
}

/** Messages that are never compacted, pruned or truncated, by their places in the history. */
export interface PinList {
  readonly pins: readonly number[];
}

/** Something archived, as text. */
export interface RecalledText {
  readonly id: string;
  readonly role?: string;
  readonly text: string;
}
