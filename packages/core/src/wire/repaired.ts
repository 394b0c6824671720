import type { PartChange, Synthetic } from '../codecs/codec.ts';
import type { Path } from '../json/json.ts';
import type { Role } from '../transcript/entry.ts';

/** What to send in place of a checked list, in order. Says what to do; `applyRepair` builds the wire messages. */
export type RepairedItem = RepairedEntry | RepairedSynthetic | RepairedJoin;

/**
 * An entry of the list. With no changes, no `only` and no `cleansText` the message goes out as the same object.
 * An entry can appear twice, each time with other parts: so a result is moved without being rewritten.
 */
export interface RepairedEntry {
  readonly type: 'entry';
  readonly index: number;
  readonly changes: readonly PartChange[];
  /** Indices of the parts that this message keeps, ascending. @default all that no change drops */
  readonly only?: readonly number[];
  /** Lone surrogates anywhere in the message become U+FFFD. */
  readonly cleansText?: true;
}

/** A message to compose. */
export interface RepairedSynthetic {
  readonly type: 'synthetic';
  readonly item: Synthetic;
}

/** One message with the content of all its items in order: results in user messages must share one. */
interface RepairedJoin {
  readonly type: 'joined';
  readonly items: readonly (RepairedEntry | RepairedSynthetic)[];
}

/** One thing that was done. `entry` and `part` are indices into the list as it was. */
export type Repair =
  /** The call had no result and got the error result "interrupted". */
  | { readonly type: 'result-added'; readonly entry: number; readonly part: number; readonly callId: string }
  | {
      readonly type: 'result-dropped';
      readonly entry: number;
      readonly part: number;
      readonly callId: string;
      readonly because: 'orphan' | 'duplicate' | 'misplaced' | 'split-pair';
    }
  /** The result stood too late and was moved up to its call in entry `to`. */
  | {
      readonly type: 'result-moved';
      readonly entry: number;
      readonly part: number;
      readonly callId: string;
      readonly to: number;
    }
  /** Results were put before the other content of their message. */
  | { readonly type: 'results-reordered'; readonly entry: number }
  | {
      readonly type: 'call-dropped';
      readonly entry: number;
      readonly part: number;
      readonly callId: string;
      readonly because: 'misplaced' | 'split-pair';
    }
  /** Call and result got another id. */
  | {
      readonly type: 'call-renamed';
      readonly entry: number;
      readonly part: number;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly type: 'part-dropped';
      readonly entry: number;
      readonly part: number;
      readonly because: 'empty-text' | 'misplaced' | 'reasoning-without-item' | 'malformed-reasoning';
    }
  | {
      readonly type: 'media-replaced';
      readonly entry: number;
      readonly part: number;
      readonly piece?: number;
    }
  | { readonly type: 'text-cleaned'; readonly entry: number }
  /** Something in the message was not as the format wants it, and was mended when it was read: where, and what was done. */
  | { readonly type: 'shape-mended'; readonly entry: number; readonly at: Path; readonly what: string }
  /** White space at the end of a last message of the assistant, which the format refuses. */
  | { readonly type: 'end-trimmed'; readonly entry: number; readonly part: number }
  | { readonly type: 'message-dropped'; readonly entry: number; readonly because: 'empty' | 'reasoning-only' }
  /** The system message goes out as a user message in the same place. */
  | { readonly type: 'system-converted'; readonly entry: number }
  /** Several messages of one response became one. */
  | { readonly type: 'messages-joined'; readonly entry: number; readonly end: number }
  /** A constant note keeps the order of roles; `before` is the entry it stands before, or the length of the list. */
  | { readonly type: 'note-added'; readonly before: number; readonly role: Role };

export interface Repaired {
  readonly items: readonly RepairedItem[];
  /** Everything that was done, in the order of the steps; empty when the list was valid. */
  readonly repairs: readonly Repair[];
}
