import type {
  CallPart,
  Entry,
  MediaPart,
  OpaquePart,
  Part,
  ReasoningPart,
  ResultPart,
  TextPart,
} from './entry.ts';

/** Longer texts are sampled: head, tail and evenly spread positions; the length always counts. */
const fullLength = 128;
const headLength = 48;
const tailLength = 32;
const samples = 32;
/** Values nested deeper than this count as the same below: hostile input must not overflow the stack. */
const maxDepth = 64;

/** Two independent 32-bit lanes; 2⁵³ values are enough to tell the parts of one history apart. */
class Hash {
  #low = 0x9dc5811c;
  #high = 0x41c6ce57;

  add(code: number): void {
    this.#low = Math.imul(this.#low ^ code, 0x85ebca6b);
    this.#high = Math.imul(this.#high ^ code, 0xc2b2ae35) + 1;
  }

  text(text: string): void {
    const { length } = text;
    this.add(length);
    if (length <= fullLength) return this.#run(text, 0, length);
    this.#run(text, 0, headLength);
    this.#run(text, length - tailLength, length);
    const stride = (length - headLength - tailLength) / samples;
    for (let sample = 0; sample < samples; sample += 1) {
      this.add(text.charCodeAt(headLength + Math.floor(sample * stride)));
    }
  }

  #run(text: string, first: number, end: number): void {
    for (let index = first; index < end; index += 1) this.add(text.charCodeAt(index));
  }

  value(value: unknown, depth = 0): void {
    if (typeof value === 'string') this.text(value);
    else if (typeof value !== 'object' || value === null) this.text(String(value));
    else if (depth >= maxDepth) this.add(0x2e);
    else if (Array.isArray(value)) this.#list(value, depth + 1);
    else this.#record(value as Record<string, unknown>, depth + 1);
  }

  #list(values: readonly unknown[], depth: number): void {
    this.add(0x5b);
    for (const value of values) this.value(value, depth);
  }

  #record(record: Record<string, unknown>, depth: number): void {
    this.add(0x7b);
    for (const key of Object.keys(record).sort()) {
      // Cache marks move from request to request without changing what is said.
      if (key === 'cache_control') continue;
      this.text(key);
      this.value(record[key], depth);
    }
  }

  /** 53 bits of both lanes. */
  toNumber(): number {
    return (this.#high & 0x1fffff) * 0x100000000 + (this.#low >>> 0);
  }

  toString(): string {
    return (this.#low >>> 0).toString(36) + (this.#high >>> 0).toString(36);
  }
}

type Hashers = { readonly [Type in Part['type']]: (hash: Hash, part: Extract<Part, { type: Type }>) => void };

const hashers: Hashers = {
  text: (hash, part: TextPart) => hash.text(part.text),
  reasoning: (hash, part: ReasoningPart) => {
    hash.text(part.text);
    hash.add(part.opaqueLength);
  },
  call: (hash, { callId, name, input }: CallPart) => {
    hash.text(callId);
    hash.text(name);
    hash.value(input.type === 'text' ? input.text : input.value);
  },
  result: (hash, { callId, isError, pieces }: ResultPart) => {
    hash.text(callId);
    hash.add(isError ? 1 : 0);
    for (const piece of pieces) addPart(hash, piece);
  },
  media: (hash, part: MediaPart) => {
    hash.text(part.mediaType);
    hash.add(part.sizeBytes);
    hash.text(part.filename ?? '');
  },
  opaque: (hash, part: OpaquePart) => hash.value(part.value),
};

function addPart<Type extends Part['type']>(hash: Hash, part: Extract<Part, { type: Type }>): void {
  hash.text(part.type);
  const row: (hash: Hash, part: Extract<Part, { type: Type }>) => void = hashers[part.type];
  row(hash, part);
}

const ofParts = new WeakMap<Part, string>();
const ofEntries = new WeakMap<Entry, number>();

/** Fingerprint of one part's canonical content. Cache marks, item ids and status do not count. Remembered per object. */
export function fingerprintPart(part: Part): string {
  const known = ofParts.get(part);
  if (known !== undefined) return known;
  const hash = new Hash();
  addPart(hash, part);
  const fingerprint = hash.toString();
  ofParts.set(part, fingerprint);
  return fingerprint;
}

/** Fingerprint of a message: role and parts. Remembered per object. */
export function fingerprintEntry(entry: Entry): string {
  return entryNumber(entry).toString(36);
}

/** Rolling fingerprint of a run of messages. */
export function fingerprintRange(entries: Iterable<Entry>): string {
  const hash = new Hash();
  for (const entry of entries) {
    const number = entryNumber(entry);
    hash.add(number | 0);
    hash.add(Math.floor(number / 0x100000000));
  }
  return hash.toString();
}

function entryNumber(entry: Entry): number {
  const known = ofEntries.get(entry);
  if (known !== undefined) return known;
  const hash = new Hash();
  hash.text(entry.role);
  for (const part of entry.parts) addPart(hash, part);
  const number = hash.toNumber();
  ofEntries.set(entry, number);
  return number;
}

/** Fingerprint of any value, for looking up calls with the same arguments. */
export function fingerprintValue(value: unknown): string {
  const hash = new Hash();
  hash.value(value);
  return hash.toString();
}
