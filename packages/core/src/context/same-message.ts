import { fingerprintValue, volatileKeys, withoutOptionMarks } from '../transcript/fingerprint.ts';
import type { Entry } from '../transcript/entry.ts';

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
  if (!isRecord(a) || !isRecord(b)) return sameValue(a, b, 0);
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
export function likenessTo(message: unknown, { wire, mended }: Entry): 'same' | 'remarked' | 'other' {
  const known = mended === undefined ? [wire] : [wire, mended.given];
  if (known.some((one) => sameValue(message, one, 0))) return 'same';
  return known.some((one) => sameMessage(message, one)) ? 'remarked' : 'other';
}

/** A bare text beside a block with a mark as the block that it becomes with one. */
function asBlocks(content: unknown, other: unknown): unknown {
  if (typeof content !== 'string' || !Array.isArray(other)) return content;
  const [block] = other as readonly unknown[];
  return isRecord(block) && isMarked(block as Plain) ? [{ type: 'text', text: content }] : content;
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
  if (!isRecord(a) || !isRecord(b)) return sameValue(a, b, 0);
  const { type } = a as Plain;
  return sameMarked(a, b, volatileKeys, (key, one, other) => {
    if (type === 'tool_result' && key === 'content')
      return sameList(asBlocks(one, other), asBlocks(other, one), sameInResult);
    if (type === 'tool-result' && key === 'output') return sameOutput(one, other);
    return sameValue(one, other, 0);
  });
};

/** What a tool of AI SDK returned, with options of its own, and of each part where it has parts. */
const sameOutput: IsSame = (a, b) => {
  if (!isRecord(a) || !isRecord(b)) return sameValue(a, b, 0);
  const { type } = a as Plain;
  return sameMarked(a, b, noKeys, (key, one, other) =>
    type === 'content' && key === 'value' ? sameList(one, other, sameInResult) : sameValue(one, other, 0),
  );
};

const sameInResult: IsSame = (a, b) => {
  if (!isRecord(a) || !isRecord(b)) return sameValue(a, b, 0);
  return sameMarked(a, b, resultMarks, (_key, one, other) => sameValue(one, other, 0));
};

function sameMarked(
  a: object,
  b: object,
  except: ReadonlySet<string>,
  isSame: (key: string, one: unknown, other: unknown) => boolean,
): boolean {
  return sameRecord(withoutOptionMarks(a as Plain), withoutOptionMarks(b as Plain), except, isSame);
}

function sameValue(a: unknown, b: unknown, depth: number): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (depth < maxDepth) {
    if (Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length && a.every((item, index) => sameValue(item, b[index], depth + 1));
    }
    if (isRecord(a) && isRecord(b)) {
      return sameRecord(a, b, noKeys, (_key, one, other) => sameValue(one, other, depth + 1));
    }
  }
  // Bytes, URLs and the like are what JSON makes of them.
  return (isObject(a) || isObject(b)) && fingerprintValue(a) === fingerprintValue(b);
}

type Plain = Readonly<Record<string, unknown>>;

function sameRecord(
  a: object,
  b: object,
  except: ReadonlySet<string>,
  isSame: (key: string, one: unknown, other: unknown) => boolean,
): boolean {
  const [one, other] = [a as Plain, b as Plain];
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
function isRecord(value: unknown): value is object {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
