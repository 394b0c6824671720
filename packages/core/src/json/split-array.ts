import type { Path } from './json.ts';
import { readKey, skipSpace, skipString, skipValue } from './scan-json.ts';

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

/** Start of the value of the last member called `key` of the object that opens at `open`. */
function findMember(text: string, open: number, key: string): number | undefined {
  if (text[open] !== '{') return undefined;
  let found: number | undefined;
  let at = skipSpace(text, open + 1);
  if (text[at] === '}') return undefined;
  for (;;) {
    if (text[at] !== '"') return undefined;
    const keyEnd = skipString(text, at);
    if (keyEnd < 0) return undefined;
    const colon = skipSpace(text, keyEnd);
    if (text[colon] !== ':') return undefined;
    const start = skipSpace(text, colon + 1);
    const end = skipValue(text, start);
    if (end < 0) return undefined;
    if (readKey(text, at, keyEnd) === key) found = start;
    const after = skipSpace(text, end);
    if (text[after] === '}') return found;
    if (text[after] !== ',') return undefined;
    at = skipSpace(text, after + 1);
  }
}

function elementsAt(text: string, open: number): Span[] | undefined {
  if (text[open] !== '[') return undefined;
  const items: Span[] = [];
  let start = skipSpace(text, open + 1);
  if (text[start] === ']') return items;
  for (;;) {
    const end = skipValue(text, start);
    if (end < 0) return undefined;
    items.push({ start, end });
    const after = skipSpace(text, end);
    if (text[after] === ']') return items;
    if (text[after] !== ',') return undefined;
    start = skipSpace(text, after + 1);
  }
}
