/** A list or record whose members are being hashed, with the state of the hash around it. */
interface Open {
  readonly of: object;
  /** The sorted keys of a record; `undefined` for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  readonly around: Lanes;
  next: number;
}

/** The 64 bits of a hash. */
export type Lanes = readonly [low: number, high: number];

/** Tell the kinds of values apart: `"1"` is not `1`, a list not a record. */
const tags = { text: 1, literal: 2, bytes: 3, list: 4, record: 5, container: 6, circle: 7 } as const;

// Small integers all the way: a lane that is none would cost an object at each step.
const start: Lanes = [0x9dc5811c | 0, 0x41c6ce57];
const lowFactor = 0x9e3779b1;
const highFactor = 0x85ebca6b;

/**
 * A hash of 64 bits in two lanes of 32, for telling contents apart, not for secrets. Every character counts: each step
 * is a bijection of both lanes, so two texts that differ in one place never meet. Each text counts with its length, so
 * that `ab` and `c` are not `a` and `bc`.
 */
export class Hash {
  #low = start[0];
  #high = start[1];

  word(word: number): void {
    this.#low = lowStep(this.#low, word);
    this.#high = highStep(this.#high, word);
  }

  /** Its length, then its characters, two to a step: to read them costs more than the steps. */
  text(text: string): void {
    const { length } = text;
    this.word(length);
    // On locals the steps cost no more than reading the characters.
    let low = this.#low;
    let high = this.#high;
    const even = length & ~1;
    for (let index = 0; index < even; index += 2) {
      const pair = text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16);
      low = lowStep(low, pair);
      high = highStep(high, pair);
    }
    this.#low = low;
    this.#high = high;
    if (even < length) this.word(text.charCodeAt(even));
  }

  /**
   * Any value as the JSON it would be: the order of keys does not count, members that JSON leaves out are none, and raw
   * bytes are what a `Buffer` becomes in JSON. A list or record counts as the hash of what is in it, so that nothing
   * crosses its borders; each is hashed once, at any depth, and a circle ends.
   *
   * @param except keys of the value itself that do not count; deeper they do.
   */
  value(value: unknown, except?: ReadonlySet<string>): void {
    const root = asJson(value);
    if (this.#leaf(root)) return;
    const known = new Map<object, Lanes | undefined>();
    const stack = [this.#open(root as object, known, except)];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      if (top.next === top.length) {
        this.#close(top, known);
        stack.pop();
        continue;
      }
      const member = asJson(this.#nextOf(top));
      if (this.#leaf(member)) continue;
      const container = member as object;
      if (known.has(container)) this.#container(known.get(container));
      else stack.push(this.#open(container, known));
    }
  }

  /** Another hash as part of this one. */
  add([low, high]: Lanes): void {
    this.word(low);
    this.word(high);
  }

  lanes(): Lanes {
    // The last characters have gone through few steps yet.
    const low = spread(this.#low ^ (this.#high >>> 16));
    return [low, spread(this.#high ^ low)];
  }

  /** False for what has members: a list or a record. */
  #leaf(value: unknown): boolean {
    if (typeof value === 'string') {
      this.word(tags.text);
      this.text(value);
      return true;
    }
    if (typeof value !== 'object' || value === null) {
      this.word(tags.literal);
      this.text(literalText(value));
      return true;
    }
    const bytes = bytesOf(value);
    if (bytes) this.#bytes(bytes);
    return bytes !== undefined;
  }

  #bytes(bytes: ArrayLike<number>): void {
    const { length } = bytes;
    this.word(tags.bytes);
    this.word(length);
    for (let index = 0; index < length; index += 1) this.word(bytes[index] ?? 0);
  }

  #open(of: object, known: Map<object, Lanes | undefined>, except?: ReadonlySet<string>): Open {
    known.set(of, undefined);
    const around: Lanes = [this.#low, this.#high];
    [this.#low, this.#high] = start;
    const keys = Array.isArray(of) ? undefined : keysOf(of, except);
    const length = keys?.length ?? (of as readonly unknown[]).length;
    this.word(keys ? tags.record : tags.list);
    this.word(length);
    return { of, keys, length, around, next: 0 };
  }

  #nextOf(open: Open): unknown {
    const { of, keys, next } = open;
    open.next += 1;
    const key = keys?.[next];
    if (key === undefined) return (of as readonly unknown[])[next];
    this.text(key);
    return (of as Readonly<Record<string, unknown>>)[key];
  }

  #close({ of, around }: Open, known: Map<object, Lanes | undefined>): void {
    const lanes = this.lanes();
    known.set(of, lanes);
    [this.#low, this.#high] = around;
    this.#container(lanes);
  }

  #container(lanes: Lanes | undefined): void {
    if (!lanes) return this.word(tags.circle);
    this.word(tags.container);
    this.add(lanes);
  }
}

/** The bits as text, always of one length. */
export function hashText([low, high]: Lanes): string {
  return (low >>> 0).toString(36).padStart(7, '0') + (high >>> 0).toString(36).padStart(7, '0');
}

/** What one word of 32 bits makes of a lane. */
function lowStep(low: number, word: number): number {
  return Math.imul(((low << 5) | (low >>> 27)) ^ word, lowFactor);
}

function highStep(high: number, word: number): number {
  return Math.imul(((high << 13) | (high >>> 19)) ^ word, highFactor);
}

function spread(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return mixed ^ (mixed >>> 15);
}

/** URLs and dates as the text that JSON makes of them; everything else as it is. */
function asJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON !== 'function') return value;
  try {
    return toJSON.call(value) as unknown;
  } catch {
    return value;
  }
}

/** As JSON has it: what it cannot say is `null` in a list. */
function literalText(value: unknown): string {
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : 'null';
}

function keysOf(record: object, except: ReadonlySet<string> | undefined): string[] {
  const members = record as Readonly<Record<string, unknown>>;
  return Object.keys(members)
    .filter((key) => isSaid(members[key]) && except?.has(key) !== true)
    .sort();
}

function isSaid(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function bytesOf(value: object): ArrayLike<number> | undefined {
  // Bytes that were handed on to somebody else have no length any more, and cannot be looked at.
  if (ArrayBuffer.isView(value))
    return value.byteLength === 0 ? [] : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return value.byteLength === 0 ? [] : new Uint8Array(value);
  const { type, data } = value as { readonly type?: unknown; readonly data?: unknown };
  const isBuffer = type === 'Buffer' && Array.isArray(data) && Object.keys(value).length === 2;
  return isBuffer && data.every(isByte) ? (data as readonly number[]) : undefined;
}

function isByte(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 255 && Number.isInteger(value);
}
