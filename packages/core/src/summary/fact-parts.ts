// A path of more segments than this is only taken apart at its end.
const mostSegments = 12;
const separators = new Set([...'/.:#@\\-'].map((character) => character.charCodeAt(0)));

/** Visits a fact, and every part of it that stands between separators: `config.ts` in `src/config.ts`. */
export function visitFactParts(text: string, visit: (part: string) => void): void {
  visit(text);
  const starts = [0];
  const ends: number[] = [];
  for (let index = 0; index < text.length; index++) {
    if (!separators.has(text.charCodeAt(index))) continue;
    ends.push(index);
    starts.push(index + 1);
  }
  ends.push(text.length);
  for (const start of starts.slice(-mostSegments)) {
    for (const end of ends.slice(-mostSegments)) if (end - start > 2) visit(text.slice(start, end));
  }
}

/** A fact without the separators in front of it: `123` of `#123`, `src/a.ts` of `./src/a.ts`. */
export function bareFact(text: string): string {
  let start = 0;
  while (start < text.length && (separators.has(text.charCodeAt(start)) || text[start] === '~')) start++;
  return text.slice(start);
}
