import type { Path } from '../json/json.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Id of a message: the format's own where it has one, else derived from the position. */
export type EntryId = Branded<'EntryId'>;
/** Id that ties a tool result to its call. Real logs repeat them: never look one up globally. */
export type CallId = Branded<'CallId'>;
/** Short stable id under which archived content can be fetched again: `m12` (message 12) or `m12.3` (its part 3). */
export type RecallId = Branded<'RecallId'>;

/**
 * Who a message is from. `tool` is a message that carries results; formats that put results into user messages have
 * none.
 */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/**
 * What a signed or encrypted part is bound to. `content`: to itself, it must be sent unchanged or not at all.
 * `prefix`: to everything before it, so that any earlier edit voids it. `next-item`: it and the item after it
 * are only valid together.
 */
export type Binding = 'content' | 'prefix' | 'next-item';

interface PartBase {
  /** Where the part lies in the wire message. */
  readonly at: Path;
  readonly binding?: Binding;
}

/** Text in a message or in a result. */
export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
  /**
   * The format says that a tool wrote it: `true` of what the model is to know, as pi's own summaries; `aside` of notes, as
   * those of pi's hooks. Else the form of the text tells.
   */
  readonly isInjected?: true | 'aside';
}

/** Reasoning of the model. `binding` says what voids its signature or its encrypted content. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning';
  /** What is readable of it; may be empty. */
  readonly text: string;
  /** Length of signature or encrypted content in characters; 0 when there is none. */
  readonly opaqueLength: number;
}

/** The arguments of a call: some formats carry JSON text, some the value. `at` is their place in the wire message. */
export type CallInput =
  | { readonly type: 'text'; readonly text: string; readonly at: Path }
  | { readonly type: 'value'; readonly value: unknown; readonly at: Path };

/** A call of a tool, in a response of the assistant. */
export interface CallPart extends PartBase {
  readonly type: 'call';
  readonly callId: CallId;
  readonly name: string;
  readonly input: CallInput;
  /** The provider runs it and answers inside the same response: nobody else may answer or split it. */
  readonly isProviderExecuted?: true;
}

/** The result of a tool call. That of a call the provider ran stands in the assistant's own response. */
export interface ResultPart extends PartBase {
  readonly type: 'result';
  readonly callId: CallId;
  /** Tool name where the format repeats it. */
  readonly name?: string;
  readonly isError: boolean;
  /** The output, in order. Paths are from the root of the wire message. */
  readonly pieces: readonly ResultPiece[];
  readonly isProviderExecuted?: true;
}

/** One piece of a tool result. */
export type ResultPiece = TextPart | MediaPart | OpaquePart;

/**
 * An image, a file, audio or video, in a message or in a result; its bytes stay in the wire message. `widthPx` and
 * `heightPx` are known for PNG, JPEG, GIF and WebP whose base64 is in the message.
 */
export interface MediaPart extends PartBase {
  readonly type: 'media';
  /** IANA media type, or the best guess (`image/*`). */
  readonly mediaType: string;
  /** Bytes after base64 decoding; 0 when only a URL or reference is in the message. */
  readonly sizeBytes: number;
  readonly widthPx?: number;
  readonly heightPx?: number;
  /** OpenAI's `detail`, where stated. */
  readonly detail?: string;
  readonly filename?: string;
}

/** Something this codec does not edit: counted, sent on as it is. */
export interface OpaquePart extends PartBase {
  readonly type: 'opaque';
  readonly value: unknown;
  /** A provider's own compaction item: nothing before it is sent to the model, nothing compacts across it. */
  readonly isBarrier?: true;
}

/** One part of a decoded message. */
export type Part = TextPart | ReasoningPart | CallPart | ResultPart | MediaPart | OpaquePart;

/** One thing that was not as the format wants it, and how it was mended. */
export interface Mend {
  /** Where in the message that was handed in. */
  readonly at: Path;
  readonly what: string;
  /** It came without an id that could be used. */
  readonly isCallId?: true;
}

/** A message that its format would refuse in its own form: what came, and what was done about it. */
interface Mended {
  readonly given: unknown;
  readonly mends: readonly Mend[];
}

/** One wire message, decoded. `wire` stays the truth; `parts` only point into it. Never mutated. */
export interface Entry {
  readonly id: EntryId;
  /** Position in the full history, counted in wire messages from 0. The one index space of the engine. */
  readonly ordinal: number;
  readonly role: Role;
  readonly wire: unknown;
  readonly parts: readonly Part[];
  /** Present where `wire` is not the message that was handed in, but its mended form. */
  readonly mended?: Mended;
  /** Present in a place holder: how many messages that were not loaded it stands for, from its ordinal on. */
  readonly standsFor?: number;
}

export function messageRecallId(ordinal: number): RecallId {
  return `m${ordinal}` as RecallId;
}

/** The ordinal in the recall id of a message. */
export function messageOrdinal(recallId: RecallId): number {
  return Number(recallId.slice(1));
}

export function partRecallId(ordinal: number, partIndex: number): RecallId {
  return `m${ordinal}.${partIndex}` as RecallId;
}

/** The message as it was handed in: what a host compares its own messages with. */
export function givenMessage({ wire, mended }: Entry): unknown {
  return mended ? mended.given : wire;
}

/** Messages `[first, end)` of the full history. */
export interface OrdinalRun {
  readonly first: number;
  readonly end: number;
}

/** What tells the content of a range of messages. */
export interface RangeId {
  /** Fingerprint over the range only: of its messages in order, or as `runs` says. */
  readonly fingerprint: string;
  /**
   * Runs of messages in the range, oldest first, that were not at hand when the fingerprint was made: it is the sum of
   * theirs and of those of the other messages. Where all are at hand, all are compared. Absent: they were at hand.
   */
  readonly runs?: readonly OrdinalRun[];
}

/** A range of which not all messages were loaded. What is known of it is trusted: it was checked when it was made. */
export interface UnloadedRange extends OrdinalRun, RangeId {}

/**
 * A place holder for messages `[first, end)` that were not loaded: one position in the conversation, which no view may
 * show. It counts as answered, because nothing is left out of a view that the model has not answered.
 */
export function unloadedEntry(first: number, end: number): Entry {
  return {
    id: messageRecallId(first) as string as EntryId,
    ordinal: first,
    role: 'assistant',
    wire: undefined,
    parts: [],
    standsFor: end - first,
  };
}

export function isUnloaded({ standsFor }: Entry): boolean {
  return standsFor !== undefined;
}

/** Ordinal after the message, or after the last one that the place holder stands for. */
export function endOf({ ordinal, standsFor = 1 }: Entry): number {
  return ordinal + standsFor;
}

/** A text with nothing but white space. A signed text is never blank: the signature is its content. */
export function isBlank(part: Part): boolean {
  return part.type === 'text' && part.binding === undefined && part.text.trim() === '';
}
