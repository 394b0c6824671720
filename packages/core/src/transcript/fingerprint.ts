import { isObject, valueAt } from '../json/json.ts';
import { Hash, hashText } from './hash.ts';
import { remembered } from './memory.ts';
import type { Entry, Part, ResultPiece, Role, TextPart } from './entry.ts';
import type { Lanes } from './hash.ts';

/**
 * Marks that come and go from request to request without changing what is said. They are marks only on a message
 * itself and on a block of its content: deeper, inside arguments and results, a key of the same name is data.
 */
export const volatileKeys: ReadonlySet<string> = new Set(['cache_control', 'status']);

/** Where AI SDK keeps what is meant for one provider, on messages, parts, outputs of tools and their parts. */
const optionKeys: readonly string[] = [
  'providerOptions',
  'providerMetadata',
  'experimental_providerMetadata',
];

/** Cache marks among the options of a provider: Anthropic's in both spellings, and Bedrock's. */
const markKeys: ReadonlySet<string> = new Set(['cacheControl', 'cache_control', 'cachePoint']);

type Plain = Readonly<Record<string, unknown>>;

/** The record without the cache marks among its options, and without options in which nothing else stands. */
export function withoutOptionMarks(record: Plain): Plain {
  let bare = record;
  for (const key of optionKeys) {
    if (!isObject(record[key])) continue;
    const options = withoutMarks(record[key]);
    if (options === record[key]) continue;
    const { [key]: _, ...rest } = bare;
    bare = options === undefined ? rest : { ...rest, [key]: options };
  }
  return bare;
}

/** Options by provider; itself where it has no marks, `undefined` where nothing is left. */
function withoutMarks(options: Plain): Plain | undefined {
  const providers = Object.entries(options).flatMap(([provider, own]): [string, unknown][] => {
    if (!isObject(own)) return own === undefined ? [] : [[provider, own]];
    const members = Object.entries(own).filter(([key, value]) => value !== undefined && !markKeys.has(key));
    if (members.length === 0) return [];
    return [[provider, members.length === Object.keys(own).length ? own : Object.fromEntries(members)]];
  });
  if (providers.length === 0) return undefined;
  const isAsItWas =
    providers.length === Object.keys(options).length &&
    providers.every(([provider, own]) => own === options[provider]);
  return isAsItWas ? options : Object.fromEntries(providers);
}

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
    hash.text(text);
    hash.value(unmarked(valueAt(wire, at)), besideReasoning);
  },
  call: (hash, { callId, name, input }) => {
    const text = input.type === 'text' ? input.text : input.value;
    hash.word(typeof text === 'string' ? 13 : 14);
    hash.text(callId);
    hash.text(name);
    if (typeof text === 'string') hash.text(text);
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
  hash.text(text);
}

/** Inside a result what is opaque is what the tool said: no key of it is a mark. */
function addPiece(hash: Hash, piece: ResultPiece, wire: unknown): void {
  if (piece.type !== 'opaque') return addPart(hash, piece, wire);
  hash.word(18);
  hash.value(piece.value);
}

/** A part of a message, to the last character. */
function addPart<Type extends Part['type']>(
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

/**
 * Fingerprint of one part's own content, to the last character: text, arguments and results, media and encrypted content
 * by their data. Cache marks, status and ids of items do not count. `undefined` where there is no such part.
 */
export function fingerprintPart(entry: Entry, index: number): string | undefined {
  const part = entry.parts[index];
  if (!part) return undefined;
  const hash = new Hash();
  addPart(hash, part, entry.wire);
  return hashText(hash.lanes());
}

/** Fingerprint of a message: its role and what its parts say. Remembered per entry. */
export function fingerprintEntry(entry: Entry): string {
  return hashText(entryLanes(entry));
}

/** Fingerprint of a run of messages. */
export function fingerprintRange(entries: Iterable<Entry>): string {
  const hash = new Hash();
  for (const entry of entries) hash.add(entryLanes(entry));
  return hashText(hash.lanes());
}

/** Fingerprint of any value, for looking up calls with the same arguments. */
export function fingerprintValue(value: unknown): string {
  const hash = new Hash();
  hash.value(value);
  return hashText(hash.lanes());
}

/** A message is read once, however often it is asked for. */
const entryLanes = remembered(({ role, wire, parts }: Entry): Lanes => {
  const hash = new Hash();
  hash.word(roleWords[role]);
  for (let index = 0; index < parts.length; index += 1) addPart(hash, parts[index] as Part, wire);
  return hash.lanes();
});

/**
 * A fingerprint that more can be added to without what it was made of: the sum of the hashes of its parts, in whatever
 * order. A part has to say its place where the order counts. Other fingerprints hold no full stop: the two are never
 * taken for each other.
 *
 * @param sums what this function has returned for other parts
 */
export function fingerprintSum(parts: Iterable<string>, sums: Iterable<string> = []): string {
  let low = 0;
  let high = 0;
  for (const sum of sums) {
    const [first = '', second = ''] = sum.split('.');
    low = (low + Number.parseInt(first, 36)) | 0;
    high = (high + Number.parseInt(second, 36)) | 0;
  }
  for (const part of parts) {
    const hash = new Hash();
    hash.text(part);
    const [one, other] = hash.lanes();
    low = (low + one) | 0;
    high = (high + other) | 0;
  }
  return `${(low >>> 0).toString(36)}.${(high >>> 0).toString(36)}`;
}

export function isFingerprintSum(fingerprint: string): boolean {
  return fingerprint.includes('.');
}
