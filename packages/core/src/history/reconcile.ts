import { objectOf } from '../json/json.ts';
import { checkMessages, checkTranscript } from './check-input.ts';
import { appendFrom, rewind } from './transcript.ts';
import { unloadedRangesWithin } from '../transcript/conversation.ts';
import { fingerprintValue, volatileKeys, withoutOptionMarks } from '../transcript/fingerprint.ts';
import { endOf, isUnloaded } from '../transcript/entry.ts';
import type { Transcript } from './transcript.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';

interface Reconciled<Message> {
  readonly transcript: Transcript<Message>;
  /** Messages of the history that the host still has; fewer than before when it rewound or edited. */
  readonly keptMessages: number;
}

/**
 * Follows a host that hands in all its messages at every step. Messages are compared by reference first, by content
 * second. Three cases, told apart by prefix and never by version: the history has grown; the host carries our last
 * view forward and has appended to that; the host rewound or edited.
 *
 * Where a history was not loaded whole, the host may hand in the whole one or the messages that were loaded: what is
 * missing cannot be compared. Where it rewound into a range that was trusted, its messages are taken from the whole one;
 * without them the next view is `not-loaded`.
 *
 * Cache marks belong to a request and move from one to the next: they make no message another one, and they are sent
 * where the host has them now.
 *
 * @param sent the messages of the last view, as they were handed to the host. @default nobody carries one forward
 * @throws {ContextError} `invalid-option` for what is no transcript, and for messages that are no list;
 * `bad-wire-format`, with the place, for what is no message of the format.
 */
export function reconcile<Message>(
  transcript: Transcript<Message>,
  incoming: readonly Message[],
  sent?: readonly Message[],
): Reconciled<Message> {
  checkTranscript(transcript);
  checkMessages(incoming);
  const { conversation } = transcript;
  const { length } = conversation.entries;
  const kept = commonBeginning(conversation, incoming);
  const isCarriedForward =
    kept.entries < length &&
    sent !== undefined &&
    sent.length > 0 &&
    sent.length <= incoming.length &&
    unlessItThrows(() => sent.every((message, index) => sameMessage(incoming[index], message))) === true;
  const known = isCarriedForward ? { entries: length, incoming: sent.length } : kept;
  const last = conversation.entries.at(known.entries - 1);
  const remarked = isCarriedForward ? remarkedAtEnd(conversation, incoming, sent.length) : kept.remarked;
  const from = remarked && canBeReadAnew(conversation, remarked) ? remarked : known;
  return {
    transcript: appendFrom(rewind(transcript, from.entries), incoming, from.incoming),
    keptMessages: last ? endOf(last) : 0,
  };
}

/** A place in the history, and the same one in the messages handed in. */
interface SharedPlace {
  readonly entries: number;
  readonly incoming: number;
}

/** How far the history and the messages handed in are the same, counted in each. */
interface Common extends SharedPlace {
  /** The first message that has other marks now. From it on all messages are loaded. */
  readonly remarked?: SharedPlace | undefined;
}

function likenessAt(incoming: readonly unknown[], at: number, entry: Entry): ReturnType<typeof likenessTo> {
  return unlessItThrows(() => likenessTo(incoming[at], entry)) ?? 'other';
}

/** What cannot be read is like nothing: who reads the message anew names its place. */
function unlessItThrows<Value>(compare: () => Value): Value | undefined {
  try {
    return compare();
  } catch {
    return undefined;
  }
}

/** The same of messages that carry the last view forward: at its end stand those of the history, as they are. */
function remarkedAtEnd(
  { entries }: Conversation,
  incoming: readonly unknown[],
  end: number,
): SharedPlace | undefined {
  let remarked: SharedPlace | undefined;
  for (let back = 1; back <= Math.min(end, entries.length); back += 1) {
    const entry = entries.at(entries.length - back);
    const likeness = entry && !isUnloaded(entry) ? likenessAt(incoming, end - back, entry) : 'other';
    if (likeness === 'other') break;
    if (likeness === 'remarked') remarked = { entries: entries.length - back, incoming: end - back };
  }
  return remarked;
}

/** Messages inside a range that was not loaded whole are trusted as they are. */
function canBeReadAnew(conversation: Conversation, { entries }: SharedPlace): boolean {
  return unloadedRangesWithin(conversation, entries).length === conversation.unloadedRanges.length;
}

function commonBeginning(conversation: Conversation, incoming: readonly unknown[]): Common {
  const whole = beforeUntrusted(conversation, common(conversation, incoming, true));
  if (conversation.unloadedRanges.length === 0) return whole;
  const loaded = common(conversation, incoming, false);
  return loaded.entries > whole.entries ? loaded : whole;
}

/** All messages of a range that cannot be trusted any more are to be taken from the whole history. */
function beforeUntrusted(conversation: Conversation, same: Common): Common {
  const { entries, unloadedRanges } = conversation;
  const trusted = new Set(unloadedRangesWithin(conversation, same.entries));
  const lost = unloadedRanges.find((range) => !trusted.has(range));
  if (!lost) return same;
  for (let position = 0; position < same.entries; position += 1) {
    const entry = entries.at(position);
    if (entry && isUnloaded(entry) && entry.ordinal >= lost.first)
      return { entries: position, incoming: entry.ordinal };
  }
  return same;
}

/** @param isWhole the messages handed in are the whole history: those that were not loaded are among them. */
function common({ entries }: Conversation, incoming: readonly unknown[], isWhole: boolean): Common {
  let same: Common = { entries: 0, incoming: 0 };
  let remarked: SharedPlace | undefined;
  let next = 0;
  for (let position = 0; position < entries.length && next <= incoming.length; position += 1) {
    const entry = entries.at(position);
    if (!entry) break;
    const isMissing = isUnloaded(entry);
    if (!isMissing && next === incoming.length) break;
    const likeness = isMissing ? 'same' : likenessAt(incoming, next, entry);
    if (likeness === 'other') break;
    if (likeness === 'remarked') remarked ??= { entries: position, incoming: next };
    if (isMissing) remarked = undefined;
    next += isMissing ? (isWhole ? endOf(entry) - entry.ordinal : 0) : 1;
    // What is missing counts as soon as something behind it is the same.
    if (!isMissing) same = { entries: position + 1, incoming: next, remarked };
  }
  return same;
}

const noKeys: ReadonlySet<string> = new Set();

// Deeper values are compared by fingerprint: no nesting can overflow the stack.
const maxDepth = 20;

/** Marks on a block inside a result. A status there is what the tool said. */
const resultMarks: ReadonlySet<string> = new Set(['cache_control']);

/**
 * Whether two messages say the same: equal as JSON. Cache marks and status do not count on the message itself and on
 * the blocks of its content, nor cache marks among the options for a provider there and in results; inside arguments
 * and what a tool said a key of that name is data like any other. A bare text and a marked block of it say the same:
 * a text cannot carry a mark.
 */
export function sameMessage(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return sameMarked(a, b, volatileKeys, (key, one, other) =>
    key === 'content'
      ? sameList(asBlocks(one, other), asBlocks(other, one), sameBlock)
      : sameValue(one, other, 0),
  );
}

/** Whether a message that is handed in is this one of the history: as it came, or as it was mended. */
export function isSameEntry(message: unknown, entry: Entry): boolean {
  return likenessTo(message, entry) !== 'other';
}

/** How a message that is handed in is like one of the history; `remarked`: with other marks, or another status. */
function likenessTo(message: unknown, { wire, mended }: Entry): 'same' | 'remarked' | 'other' {
  const known = mended === undefined ? [wire] : [wire, mended.given];
  if (known.some((one) => sameValue(message, one, 0))) return 'same';
  return known.some((one) => sameMessage(message, one)) ? 'remarked' : 'other';
}

/** A bare text beside a block with a mark as the block that it becomes with one. */
function asBlocks(content: unknown, other: unknown): unknown {
  if (typeof content !== 'string' || !Array.isArray(other)) return content;
  const [block] = other as readonly unknown[];
  return isPlain(block) && isMarked(block) ? [{ type: 'text', text: content }] : content;
}

function isMarked(block: Plain): boolean {
  return block['cache_control'] !== undefined || withoutOptionMarks(block) !== block;
}

type IsSame = (one: unknown, other: unknown) => boolean;

function sameList(a: unknown, b: unknown, isSame: IsSame): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return sameValue(a, b, 0);
  return a.length === b.length && a.every((block, index) => isSame(block, b[index]));
}

const sameBlock: IsSame = (a, b) => {
  const { type } = objectOf(a);
  return sameMarked(a, b, volatileKeys, (key, one, other) => {
    if (type === 'tool_result' && key === 'content')
      return sameList(asBlocks(one, other), asBlocks(other, one), sameInResult);
    if (type === 'tool-result' && key === 'output') return sameOutput(one, other);
    return sameValue(one, other, 0);
  });
};

/** What a tool of AI SDK returned, with options of its own, and of each part where it has parts. */
const sameOutput: IsSame = (a, b) => {
  const { type } = objectOf(a);
  return sameMarked(a, b, noKeys, (key, one, other) =>
    type === 'content' && key === 'value' ? sameList(one, other, sameInResult) : sameValue(one, other, 0),
  );
};

const sameInResult: IsSame = (a, b) =>
  sameMarked(a, b, resultMarks, (_key, one, other) => sameValue(one, other, 0));

type IsSameMember = (key: string, one: unknown, other: unknown) => boolean;

/** Two records without their cache marks; whatever else they are, as values. */
function sameMarked(a: unknown, b: unknown, except: ReadonlySet<string>, isSame: IsSameMember): boolean {
  if (!isPlain(a) || !isPlain(b)) return sameValue(a, b, 0);
  return sameRecord(withoutOptionMarks(a), withoutOptionMarks(b), except, isSame);
}

function sameValue(a: unknown, b: unknown, depth: number): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (depth < maxDepth) {
    if (Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length && a.every((item, index) => sameValue(item, b[index], depth + 1));
    }
    if (isPlain(a) && isPlain(b)) {
      return sameRecord(a, b, noKeys, (_key, one, other) => sameValue(one, other, depth + 1));
    }
  }
  // Bytes, URLs and the like are what JSON makes of them.
  return (isReference(a) || isReference(b)) && fingerprintValue(a) === fingerprintValue(b);
}

type Plain = Readonly<Record<string, unknown>>;

function sameRecord(one: Plain, other: Plain, except: ReadonlySet<string>, isSame: IsSameMember): boolean {
  const keys = keysOf(one, except);
  return (
    keys.length === keysOf(other, except).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(key, one[key], other[key]))
  );
}

function keysOf(record: Plain, except: ReadonlySet<string>): string[] {
  return Object.keys(record).filter((key) => record[key] !== undefined && !except.has(key));
}

/** An object that is nothing but its members. */
function isPlain(value: unknown): value is Plain {
  if (!isReference(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** An object of any kind, a list too. */
function isReference(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
