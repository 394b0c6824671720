import { editObject } from '../json/edit-object.ts';
import { isObject } from '../json/json.ts';
import { makeWellFormed, findMalformed } from './well-formed.ts';
import type { Codec, PartChange, Synthetic, WireRules } from '../codecs/codec.ts';
import type { WireEdit, Path } from '../json/json.ts';
import type { Entry, Part, Role } from '../transcript/entry.ts';
import type { PairedCall } from './pair-calls.ts';

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

/** What is to be sent in place of a list, for `applyRepair`, and what was done to it. */
export interface Repaired {
  readonly items: readonly RepairedItem[];
  /** Everything that was done, in the order of the steps; empty when the list was valid. */
  readonly repairs: readonly Repair[];
}

/** A repair in the making. Each step of it adds to what is lost and changed; the entries are never touched. */
export interface Draft {
  readonly entries: readonly Entry[];
  readonly rules: WireRules;
  readonly lostEntries: Set<number>;
  /** Per entry the indices of its parts that go. */
  readonly lostParts: Map<number, Set<number>>;
  readonly changes: Map<number, IndexedChange[]>;
  /** Ids of calls as they go out. */
  readonly callIds: Map<PairedCall, string>;
  readonly repairs: Repair[];
}

interface IndexedChange {
  readonly part: number;
  readonly change: PartChange;
}

interface IndexedPart {
  readonly index: number;
  readonly part: Part;
}

export function createDraft(entries: readonly Entry[], rules: WireRules): Draft {
  return {
    entries,
    rules,
    lostEntries: new Set(),
    lostParts: new Map(),
    changes: new Map(),
    callIds: new Map(),
    repairs: [],
  };
}

/** The part goes. Opaque parts never do. */
export function losePart(draft: Draft, entry: number, index: number): void {
  const lost = draft.lostParts.get(entry) ?? new Set<number>();
  lost.add(index);
  draft.lostParts.set(entry, lost);
  const part = draft.entries[entry]?.parts[index];
  if (part?.type === 'reasoning')
    changePart(draft, entry, { part: index, change: { type: 'drop-reasoning', part } });
  else if (part && part.type !== 'opaque') {
    changePart(draft, entry, { part: index, change: { type: 'drop-part', part } });
  }
}

export function changePart(draft: Draft, entry: number, change: IndexedChange): void {
  const changes = draft.changes.get(entry);
  if (changes) changes.push(change);
  else draft.changes.set(entry, [change]);
}

/** Parts of an entry that are still there. */
export function partsLeft(draft: Draft, entry: number): IndexedPart[] {
  const lost = draft.lostParts.get(entry);
  const parts = (draft.entries[entry]?.parts ?? []).map((part, index) => ({ part, index }));
  return lost ? parts.filter(({ index }) => !lost.has(index)) : parts;
}

export function contentLeft(draft: Draft, entry: number): Part[] {
  return partsLeft(draft, entry).map(({ part }) => part);
}

/** Indices of the entries that are still there, ascending. */
export function entriesLeft(draft: Draft): number[] {
  return [...draft.entries.keys()].filter((index) => !draft.lostEntries.has(index));
}

const noChanges: readonly PartChange[] = [];

/** The entry as it goes out, with all that is left of it or with some of its parts only. */
export function entryItem(draft: Draft, index: number, only?: readonly number[]): RepairedEntry {
  const entry = draft.entries[index];
  const kept = only && new Set(only);
  const changes = draft.changes.get(index)?.filter(({ part }) => kept?.has(part) ?? true);
  return {
    type: 'entry',
    index,
    changes: changes?.map(({ change }) => change) ?? noChanges,
    ...(only && only.length < (entry?.parts.length ?? 0) ? { only } : {}),
    ...(findMalformed(entry?.wire) ? { cleansText: true } : {}),
  };
}

/** A message to send and where it came from. */
export interface AppliedMessage {
  readonly message: unknown;
  /** Index of the entry it was; missing for a message that the repair wrote. */
  readonly index?: number;
  /** False: `message` is the very object of the entry. */
  readonly isEdited: boolean;
}

/** Builds the wire messages of a repair. Entries without a change give the same object; nothing is mutated. */
export function applyRepair(
  entries: readonly Entry[],
  items: readonly RepairedItem[],
  codec: Codec,
): readonly AppliedMessage[] {
  return items.flatMap((item): readonly AppliedMessage[] => {
    if (item.type === 'synthetic') return written(codec.compose(item.item).messages);
    if (item.type === 'entry') return applyEntry(entries, item, codec);
    const parts = applyRepair(entries, item.items, codec);
    const base = parts.find(({ index }) => index !== undefined) ?? parts[0];
    const messages = joinMessages(
      parts.map(({ message }) => message),
      base?.message,
    );
    if (messages.length !== 1) return parts;
    return messages.map((message) => ({
      message,
      isEdited: true,
      ...(base?.index === undefined ? {} : { index: base.index }),
    }));
  });
}

function written(messages: readonly unknown[]): readonly AppliedMessage[] {
  return messages.map((message) => ({ message, isEdited: true }));
}

function applyEntry(entries: readonly Entry[], item: RepairedEntry, codec: Codec): readonly AppliedMessage[] {
  const entry = entries[item.index];
  if (!entry) return [];
  const edits = [...codec.edit(entry, item.changes), ...removals(entry, item.only)];
  const edited = editObject(entry.wire, edits);
  const message = item.cleansText ? makeWellFormed(edited) : edited;
  return [{ message, index: item.index, isEdited: message !== entry.wire }];
}

/** Takes out the parts that do not stay, by their places. */
function removals(entry: Entry, only: readonly number[] | undefined): WireEdit[] {
  if (!only) return [];
  const kept = new Set(only);
  return entry.parts.flatMap((part, index): WireEdit[] =>
    kept.has(index) ? [] : [{ at: part.at, remove: true }],
  );
}

type Message = Record<string, unknown>;

/**
 * One message with the content of all in order and the other fields of `base`. For formats whose messages are objects
 * with `content`: a text, or a list of blocks. Messages of any other shape come back as they are.
 */
export function joinMessages(messages: readonly unknown[], base: unknown): readonly unknown[] {
  if (messages.length < 2 || !messages.every(isMessage) || !isMessage(base)) return messages;
  return [{ ...base, content: messages.flatMap(({ content }) => blocksOf(content)) }];
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && (typeof value['content'] === 'string' || Array.isArray(value['content']));
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return content === '' ? [] : [{ type: 'text', text: content }];
}
