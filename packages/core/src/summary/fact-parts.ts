// A path of more segments than this is only taken apart at its end.
const mostSegments = 12;
/** Shorter parts say nothing. */
export const leastPartChars = 3;
const separators = new Set([...'/.:#@\\-'].map((character) => character.charCodeAt(0)));

/** Where the last segments of the fact at `[start, end)` of a text begin, and where they end: between separators. */
export function segmentsOf(text: string, start: number, end: number): { starts: number[]; ends: number[] } {
  const starts = [start];
  const ends: number[] = [];
  for (let index = start; index < end; index++) {
    if (!separators.has(text.charCodeAt(index))) continue;
    ends.push(index);
    starts.push(index + 1);
  }
  ends.push(end);
  if (ends.length <= mostSegments) return { starts, ends };
  return { starts: starts.slice(-mostSegments), ends: ends.slice(-mostSegments) };
}

/** Visits a fact, and every part of it that stands between separators: `config.ts` in `src/config.ts`. */
export function visitFactParts(text: string, visit: (part: string) => void): void {
  visit(text);
  const { starts, ends } = segmentsOf(text, 0, text.length);
  for (const start of starts) {
    for (const end of ends) if (end - start >= leastPartChars) visit(text.slice(start, end));
  }
}

/** A fact without the separators in front of it: `123` of `#123`, `src/a.ts` of `./src/a.ts`. */
export function bareFact(text: string): string {
  let start = 0;
  while (start < text.length && (separators.has(text.charCodeAt(start)) || text[start] === '~')) start++;
  return text.slice(start);
}
