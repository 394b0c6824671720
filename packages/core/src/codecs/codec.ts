import type { Mending } from './mending.ts';
import type { WireEdit } from '../json/json.ts';
import type {
  CallPart,
  Entry,
  MediaPart,
  ReasoningPart,
  ResultPart,
  Role,
  TextPart,
} from '../transcript/entry.ts';

/** Name of a wire format. The listed ones are built in; a codec of your own may have any other. */
export type CodecName =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'ai-sdk'
  | 'ai-sdk-prompt'
  | 'openai-agents'
  | 'session'
  | (string & {});

/** What may be done to one part of a message. The codec turns it into edits of its wire form. */
export type PartChange =
  /** The result's text pieces become one text; its media stay only when `keepMedia`. The error flag stays. */
  | {
      readonly type: 'replace-result';
      readonly part: ResultPart;
      readonly text: string;
      readonly keepMedia: boolean;
    }
  /** Values inside the call's input (paths from the root of the input) become strings: see `ArgumentText`. */
  | { readonly type: 'replace-arguments'; readonly part: CallPart; readonly values: readonly ArgumentText[] }
  | { readonly type: 'replace-text'; readonly part: TextPart; readonly text: string }
  /** The media becomes a text in the same place, also inside a result. */
  | { readonly type: 'replace-media'; readonly part: MediaPart; readonly text: string }
  | { readonly type: 'drop-reasoning'; readonly part: ReasoningPart }
  /** Another call id, on a call or a result, where the target format forbids repeats. */
  | { readonly type: 'rename-call'; readonly part: CallPart | ResultPart; readonly callId: string }
  /** The part goes: an orphan result, an empty text. The message keeps at least one part. */
  | { readonly type: 'drop-part'; readonly part: TextPart | CallPart | ResultPart | MediaPart };

/** A string inside the input of a call and what it becomes. `at` is its path from the root of the input. */
export interface ArgumentText {
  readonly at: readonly (string | number)[];
  readonly text: string;
  /**
   * So many members of the same list or object behind it go: the text stands for all of them, and the first may be of any
   * type. Integer ≥ 0. @default none, and only a string is replaced
   */
  readonly more?: number;
}

/** Neutral content from which any codec can compose a message of its format. */
export type NeutralPart =
  | { readonly type: 'text'; readonly text: string }
  /** Unsigned reasoning; a codec whose format takes only signed reasoning leaves it out and says so. */
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly name: string;
      readonly content: readonly NeutralContent[];
      readonly isError: boolean;
    }
  | NeutralMedia;

/** One piece of a tool result in neutral form. */
export type NeutralContent = { readonly type: 'text'; readonly text: string } | NeutralMedia;

/** An image or a file in neutral form. `mediaType` is its IANA type; base64 data have no `data:` prefix. */
export interface NeutralMedia {
  readonly type: 'media';
  readonly mediaType: string;
  readonly source:
    | { readonly type: 'base64'; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
  readonly filename?: string;
}

/** A message the engine writes itself: a summary, a note, an error result. Also the middle form of a conversion. */
export interface Synthetic {
  readonly role: Role;
  readonly parts: readonly NeutralPart[];
  /** What it is, for formats that can carry metadata. Never recognised by its text. */
  readonly kind: 'summary' | 'note' | 'interrupted' | 'converted';
}

/** What could not be said in the target format. */
export interface Loss {
  readonly path: string;
  readonly reason: string;
}

/**
 * The wire messages of a `Synthetic`, in order, and what the format could not say. The path of a loss is
 * `parts[index]`.
 */
export interface Composed<Message> {
  readonly messages: readonly Message[];
  readonly losses: readonly Loss[];
}

/** The rules of a wire format, as data for the validator. */
export interface WireRules {
  /** How results travel: own message of role tool, inside user messages, or as items beside the calls. */
  readonly resultsIn: 'tool-message' | 'user-message' | 'item';
  /** `one`: a wire message is a whole response. `many`: a response is several consecutive items. */
  readonly entriesPerResponse: 'one' | 'many';
  /** The first non-system message must be a user message. */
  readonly firstIsUser: boolean;
  /** Two user messages (or two assistant messages) in a row are accepted or merged by the server. */
  readonly allowsConsecutiveRoles: boolean;
  /** System messages: only leading, anywhere, or not among the messages at all. */
  readonly systemMessages: 'leading' | 'anywhere' | 'outside';
  /** Call ids must be unique over the whole request. */
  readonly uniqueCallIds: boolean;
  /** Each call needs its result in the very next message(s). */
  readonly resultsAdjacent: boolean;
  readonly mediaIn: { readonly user: boolean; readonly assistant: boolean; readonly result: boolean };
  /** Longest call id and its pattern, where the format states them. */
  readonly callIdPattern?: RegExp;
  /** A last message of the assistant may not end in white space. */
  readonly trimsLastAnswer?: boolean;
  /** In one message results stand before any text. */
  readonly resultsFirst: boolean;
}

/**
 * Reads and writes one wire format. A lens: the wire message stays the truth, a decoded entry points into it,
 * an edit names the places that change. Guarantees: `decode` never throws on any JSON value (what it does not know
 * becomes an opaque part), never mutates, and is a function of its arguments only.
 */
export interface Codec<Message = unknown> {
  readonly name: CodecName;
  readonly rules: WireRules;
  decode(message: Message, ordinal: number): Entry;
  /**
   * The message in a form that the format takes: the very object where it has one. What is done is noted in `mending`;
   * a message that cannot be mended is refused with its place. Absent: every message is taken as it is.
   */
  mend?(message: unknown, mending: Mending): unknown;
  /** The edits of `entry.wire` that carry out the changes, in any order, never overlapping. */
  edit(entry: Entry, changes: readonly PartChange[]): readonly WireEdit[];
  compose(item: Synthetic): Composed<Message>;
  /** The neutral content of an entry, for conversion to another format. Reads `entry.wire` for media data. */
  neutral(entry: Entry): readonly NeutralPart[];
}
