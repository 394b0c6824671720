import { Hash, hashText } from './hash.ts';
import { valueAt } from '../json/value-at.ts';
import { volatileKeys } from './volatile-keys.ts';
import type { Entry, Part, ResultPiece } from './entry.ts';
import type { Lanes } from './hash.ts';

/** What may change on a block of media although the media stay the same: AI SDK keeps its cache marks in the last two. */
const besideMedia: ReadonlySet<string> = new Set([...volatileKeys, 'providerOptions', 'providerMetadata']);
/** Item ids come and go with the way a response was fetched. */
const besideReasoning: ReadonlySet<string> = new Set([...volatileKeys, 'id']);

type Hashers = {
  readonly [Type in Part['type']]: (
    hash: Hash,
    part: Extract<Part, { readonly type: Type }>,
    wire: unknown,
  ) => void;
};

const hashers: Hashers = {
  text: (hash, { text }) => hash.text(text),
  // What is sealed is told by nothing but its characters: they are only in the message.
  reasoning: (hash, { at, text }, wire) => {
    hash.text(text);
    hash.value(valueAt(wire, at), besideReasoning);
  },
  call: (hash, { callId, name, input }) => {
    hash.text(callId);
    hash.text(name);
    hash.value(input.type === 'text' ? input.text : input.value);
  },
  result: (hash, { callId, isError, pieces }, wire) => {
    hash.text(callId);
    hash.word(isError ? 1 : 0);
    hash.word(pieces.length);
    for (const piece of pieces) addPiece(hash, piece, wire);
  },
  media: (hash, { at, mediaType, filename }, wire) => {
    hash.text(mediaType);
    hash.text(filename ?? '');
    hash.value(valueAt(wire, at), besideMedia);
  },
  opaque: (hash, { value }) => hash.value(value, volatileKeys),
};

/** Inside a result what is opaque is what the tool said: no key of it is a mark. */
function addPiece(hash: Hash, piece: ResultPiece, wire: unknown): void {
  if (piece.type !== 'opaque') return addPart(hash, piece, wire);
  hash.text(piece.type);
  hash.value(piece.value);
}

function addPart<Type extends Part['type']>(
  hash: Hash,
  part: Extract<Part, { readonly type: Type }>,
  wire: unknown,
): void {
  hash.text(part.type);
  const row: Hashers[Type] = hashers[part.type];
  row(hash, part, wire);
}

// Entries never change: each is read once, however often it is asked for. Single parts are asked for of few.
const knownWholes = new WeakMap<Entry, Lanes>();
const knownParts = new WeakMap<Entry, Lanes[]>();

/**
 * Fingerprint of one part's own content, to the last character: text, arguments and results, media and sealed content
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
  const own = knownParts.get(entry);
  const hash = Hash.take();
  hash.text(role);
  for (let index = 0; index < parts.length; index += 1) {
    hash.add(own?.[index] ?? lanesOf(parts[index] as Part, wire));
  }
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
