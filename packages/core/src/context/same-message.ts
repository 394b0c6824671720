import { fingerprintValue } from '../transcript/fingerprint.ts';
import { volatileKeys } from '../transcript/volatile-keys.ts';
import type { Entry } from '../transcript/entry.ts';

const noKeys: ReadonlySet<string> = new Set();

// Deeper values are compared by fingerprint: no nesting can overflow the stack.
const maxDepth = 20;

/**
 * Whether two messages say the same: equal as JSON. Cache marks and status do not count on the message itself and on
 * the blocks of its content; inside arguments and results a key of that name is data like any other.
 */
export function sameMessage(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isRecord(a) || !isRecord(b)) return sameValue(a, b, 0);
  return sameRecord(a, b, volatileKeys, (key, one, other) =>
    key === 'content' ? sameContent(one, other) : sameValue(one, other, 0),
  );
}

/** Whether a message that is handed in is this one of the history: as it came, or as it was mended. */
export function isSameEntry(message: unknown, { wire, mended }: Entry): boolean {
  return sameMessage(message, wire) || (mended !== undefined && sameMessage(message, mended.given));
}

function sameContent(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return sameValue(a, b, 0);
  return a.length === b.length && a.every((block, index) => sameBlock(block, b[index]));
}

function sameBlock(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return sameValue(a, b, 0);
  return sameRecord(a, b, volatileKeys, (_key, one, other) => sameValue(one, other, 0));
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
