import type { Path } from './json.ts';

/** A stretch of a text: `start` inclusive, `end` exclusive, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the elements of an array lie inside a JSON text: the array at `path`, or the document itself for `[]`.
 * One scan, no parsing; of duplicate members the last counts, as in `JSON.parse`. `undefined` when the path leads to
 * no array or the brackets do not close. The elements themselves are not checked.
 */
export function splitJsonArray(text: string, path: Path): { readonly items: readonly Span[] } | undefined {
  let start = skipSpace(text, 0);
  for (const key of path) {
    const next =
      typeof key === 'string' ? findMember(text, start, key) : elementsAt(text, start)?.[key]?.start;
    if (next === undefined) return undefined;
    start = next;
  }
  const items = elementsAt(text, start);
  return items && { items };
}

/**
 * Where the value of a member of the document lies: the last of that name, as in `JSON.parse`. `undefined` where there is
 * none, or the document is no object.
 */
export function jsonMemberSpan(text: string, key: string): Span | undefined {
  const start = findMember(text, skipSpace(text, 0), key);
  return start === undefined ? undefined : { start, end: skipValue(text, start) };
}

/** Start of the value of the last member called `key` of the object that opens at `open`. */
function findMember(text: string, open: number, key: string): number | undefined {
  if (text[open] !== '{') return undefined;
  let found: number | undefined;
  const close = walkElements(text, open, (member) => {
    if (member.key === key) found = member.valueStart;
    return skipValue(text, member.valueStart);
  });
  return close < 0 ? undefined : found;
}

function elementsAt(text: string, open: number): Span[] | undefined {
  if (text[open] !== '[') return undefined;
  const items: Span[] = [];
  const close = walkElements(text, open, ({ start }) => {
    const end = skipValue(text, start);
    items.push({ start, end });
    return end;
  });
  return close < 0 ? undefined : items;
}

/** An element of an array, or a member of an object: it starts with its name. */
export interface ScannedElement {
  readonly key: string | number;
  readonly start: number;
  readonly valueStart: number;
}

/**
 * Visits the elements of the container that opens at `open`; `visit` answers where the value ends, −1 for a broken one.
 * Returns the place of the closing bracket; −1 when the container is broken.
 */
export function walkElements(text: string, open: number, visit: (element: ScannedElement) => number): number {
  const close = text[open] === '{' ? '}' : ']';
  let at = skipSpace(text, open + 1);
  for (let index = 0; index > 0 || text[at] !== close; index++) {
    const element = close === '}' ? readMember(text, at) : { key: index, start: at, valueStart: at };
    const end = element ? visit(element) : -1;
    if (end < 0) return -1;
    at = skipSpace(text, end);
    if (text[at] === close) break;
    if (text[at] !== ',') return -1;
    at = skipSpace(text, at + 1);
  }
  return at;
}

const quote = 0x22;
const backslash = 0x5c;

/** Position of the first character at or after `from` that is not JSON white space; the length at the end. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** End (exclusive) of the string whose opening quote is at `from`; −1 when it is not closed. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return -1;
    let slashes = 0;
    while (close - 1 - slashes > from && text.charCodeAt(close - 1 - slashes) === backslash) slashes++;
    at = close + 1;
    if (slashes % 2 === 0) return at;
  }
}

/**
 * End (exclusive) of the JSON value that starts at `from`; −1 when none starts there or it does not end. Reads
 * brackets and strings only: it finds the span of a well-formed value, it does not prove that it is one. Needs no
 * stack, whatever the depth.
 */
export function skipValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === quote) return skipString(text, from);
  if (!isOpening(first)) return skipScalar(text, from);
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      if (at < 0) return -1;
      continue;
    }
    at++;
    if (isOpening(code)) depth++;
    else if (isClosing(code) && --depth === 0) return at;
  }
  return -1;
}

/** The member whose name begins at `start`; `undefined` where no member begins. */
function readMember(text: string, start: number): ScannedElement | undefined {
  if (text[start] !== '"') return undefined;
  const keyEnd = skipString(text, start);
  if (keyEnd < 0) return undefined;
  const colon = skipSpace(text, keyEnd);
  if (text[colon] !== ':') return undefined;
  return { key: readKey(text, start, keyEnd), start, valueStart: skipSpace(text, colon + 1) };
}

/** The member name whose opening quote is at `from` and which ends before `end`. Broken escapes stay as written. */
function readKey(text: string, from: number, end: number): string {
  const raw = text.slice(from + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(text.slice(from, end)) as string;
  } catch {
    return raw;
  }
}

function skipScalar(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at++;
  return at === from ? -1 : at;
}

function endsScalar(code: number): boolean {
  return (
    code === 0x2c || code === 0x3a || code <= 0x20 || code === quote || isOpening(code) || isClosing(code)
  );
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}
