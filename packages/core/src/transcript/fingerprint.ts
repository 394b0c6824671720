import { Hash, hashText } from './hash.ts';
import { isObject, valueAt } from '../json/json.ts';
import { volatileKeys, withoutOptionMarks } from './volatile-keys.ts';
import type { Conversation } from './conversation.ts';
import type { Entry, Part, ResultPiece, Role, TextPart } from './entry.ts';
import type { Lanes } from './hash.ts';

/** What may change on a block of media although the media stay the same: AI SDK keeps its cache marks in the last two. */
const besideMedia: ReadonlySet<string> = new Set([...volatileKeys, 'providerOptions', 'providerMetadata']);
/** Item ids come and go with the way a response was fetched. */
const besideReasoning: ReadonlySet<string> = new Set([...volatileKeys, 'id']);

const roleWords: { readonly [Name in Role]: number } = { system: 1, user: 2, assistant: 3, tool: 4 };

type Hashers = {
  readonly [Type in Part['type']]: (
    hash: Hash,
    part: Extract<Part, { readonly type: Type }>,
    wire: unknown,
  ) => void;
};

/** Each begins with a word of its own: no two kinds of parts are alike. */
const hashers: Hashers = {
  text: addText,
  // What is encrypted is told by nothing but its characters: they are only in the message.
  reasoning: (hash, { at, text }, wire) => {
    hash.word(12);
    hash.said(text);
    hash.value(unmarked(valueAt(wire, at)), besideReasoning);
  },
  call: (hash, { callId, name, input }) => {
    const text = input.type === 'text' ? input.text : input.value;
    hash.word(typeof text === 'string' ? 13 : 14);
    hash.text(callId);
    hash.said(name);
    if (typeof text === 'string') hash.said(text);
    else hash.value(text);
  },
  result: (hash, { callId, isError, pieces }, wire) => {
    hash.word(isError ? 15 : 16);
    hash.text(callId);
    hash.word(pieces.length);
    for (let index = 0; index < pieces.length; index += 1) addPiece(hash, pieces[index] as ResultPiece, wire);
  },
  media: (hash, { at, mediaType, filename }, wire) => {
    hash.word(17);
    hash.text(mediaType);
    hash.text(filename ?? '');
    hash.value(valueAt(wire, at), besideMedia);
  },
  opaque: (hash, { value }) => {
    hash.word(18);
    hash.value(unmarked(value), volatileKeys);
  },
};

function unmarked(value: unknown): unknown {
  return isObject(value) ? withoutOptionMarks(value) : value;
}

function addText(hash: Hash, { text }: TextPart): void {
  hash.word(11);
  hash.said(text);
}

/** Inside a result what is opaque is what the tool said: no key of it is a mark. */
function addPiece(hash: Hash, piece: ResultPiece, wire: unknown): void {
  if (piece.type !== 'opaque') return addPart(hash, piece, wire);
  hash.word(18);
  hash.value(piece.value);
}

/** A part of a message, to the last character. */
export function addPart<Type extends Part['type']>(
  hash: Hash,
  part: Extract<Part, { readonly type: Type }>,
  wire: unknown,
): void {
  // Most parts are texts, and short: a look-up by name is felt.
  if (isText(part)) return addText(hash, part);
  const row: Hashers[Type] = hashers[part.type];
  row(hash, part, wire);
}

function isText(part: Part): part is TextPart {
  return part.type === 'text';
}

/** The beginning of a message's hash; its parts follow, each by `addPart`. */
export function addRole(hash: Hash, role: Role): void {
  hash.word(roleWords[role]);
}

// Entries never change: each is read once, however often it is asked for. Single parts are asked for of few.
const knownWholes = new WeakMap<Entry, Lanes>();
const knownParts = new WeakMap<Entry, Lanes[]>();

/**
 * Fingerprint of one part's own content, to the last character: text, arguments and results, media and encrypted content
 * by their data. Cache marks, status and ids of items do not count. `undefined` where there is no such part.
 * Remembered per entry.
 */
export function fingerprintPart(entry: Entry, index: number): string | undefined {
  const part = entry.parts[index];
  return part && hashText(partLanes(entry, part, index));
}

/** Fingerprint of a message: its role and what its parts say. Remembered per entry. */
export function fingerprintEntry(entry: Entry): string {
  return hashText(entryLanes(entry));
}

/** Fingerprint of a run of messages. */
export function fingerprintRange(entries: Iterable<Entry>): string {
  const hash = Hash.take();
  for (const entry of entries) hash.add(entryLanes(entry));
  return hashText(hash.release());
}

/** The same of the messages at positions `[first, end)`: what was hashed while it was measured is not read again. */
export function fingerprintBetween(
  { entries, sizes }: Pick<Conversation, 'entries' | 'sizes'>,
  first: number,
  end: number,
): string {
  const hash = Hash.take();
  for (let position = Math.max(0, first); position < Math.min(end, entries.length); position += 1) {
    hash.add(sizes.at(position)?.lanes ?? entryLanes(entries.at(position) as Entry));
  }
  return hashText(hash.release());
}

/** Fingerprint of any value, for looking up calls with the same arguments. */
export function fingerprintValue(value: unknown): string {
  const hash = Hash.take();
  hash.value(value);
  return hashText(hash.release());
}

function entryLanes(entry: Entry): Lanes {
  const known = knownWholes.get(entry);
  if (known) return known;
  const { role, wire, parts } = entry;
  const hash = Hash.take();
  addRole(hash, role);
  for (let index = 0; index < parts.length; index += 1) addPart(hash, parts[index] as Part, wire);
  const whole = hash.release();
  knownWholes.set(entry, whole);
  return whole;
}

function partLanes(entry: Entry, part: Part, index: number): Lanes {
  let parts = knownParts.get(entry);
  if (!parts) knownParts.set(entry, (parts = []));
  return (parts[index] ??= lanesOf(part, entry.wire));
}

function lanesOf(part: Part, wire: unknown): Lanes {
  const hash = Hash.take();
  addPart(hash, part, wire);
  return hash.release();
}
