// A path of more segments than this is only taken apart at its end.
const mostSegments = 12;
/** Shorter parts say nothing. */
export const leastPartChars = 3;
const isSeparator = new Uint8Array(65_536);
for (const character of '/.:#@\\-') isSeparator[character.charCodeAt(0)] = 1;

/** Borders of the last segments of a fact, the last one first. Used again from fact to fact. */
export interface Segments {
  count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export function noSegments(): Segments {
  return { count: 0, starts: new Int32Array(mostSegments), ends: new Int32Array(mostSegments) };
}

/** Finds what stands between the separators of the fact at `[start, end)` of a text: its last twelve segments. */
export function findSegments(text: string, start: number, end: number, found: Segments): void {
  const { starts, ends } = found;
  let count = 0;
  let segmentEnd = end;
  for (let index = end - 1; index >= start && count < mostSegments; index--) {
    if (isSeparator[text.charCodeAt(index)] === 0) continue;
    starts[count] = index + 1;
    ends[count++] = segmentEnd;
    segmentEnd = index;
  }
  if (count < mostSegments) {
    starts[count] = start;
    ends[count++] = segmentEnd;
  }
  found.count = count;
}

/** Visits a fact, and every part of it that stands between separators: `config.ts` in `src/config.ts`. */
export function visitFactParts(text: string, visit: (part: string) => void): void {
  visit(text);
  const segments = noSegments();
  findSegments(text, 0, text.length, segments);
  const { count, starts, ends } = segments;
  for (let first = count - 1; first >= 0; first--) {
    for (let last = first; last >= 0; last--) {
      const start = starts[first] ?? 0;
      const end = ends[last] ?? 0;
      if (end - start >= leastPartChars) visit(text.slice(start, end));
    }
  }
}

/** Length of what `a/src/x.ts` and `b/src/x.ts` of a diff say beside `src/x.ts`. */
export function diffPrefixOf(text: string, start = 0): number {
  if (text.charCodeAt(start + 1) !== 47) return 0;
  const letter = text.charCodeAt(start);
  return letter === 97 || letter === 98 ? 2 : 0;
}

/** A fact without the separators in front of it: `123` of `#123`, `src/a.ts` of `./src/a.ts`. */
export function bareFact(text: string): string {
  let start = 0;
  while (start < text.length && (isSeparator[text.charCodeAt(start)] === 1 || text[start] === '~')) start++;
  return text.slice(start);
}
