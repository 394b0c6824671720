const pageChars = 20_000;

/** A piece of a long text, and where the next one begins. */
interface TextPage {
  readonly text: string;
  readonly from: number;
  readonly end: number;
  readonly length: number;
  /** `null` at the end. */
  readonly next: number | null;
}

/** A page of a text. Cut between two code points, so that the pages together are the text. */
export function pageOf(text: string, from = 0): TextPage {
  const start = Math.min(from, text.length);
  const wanted = Math.min(text.length, start + pageChars);
  const code = text.charCodeAt(wanted);
  const end = code >= 0xdc00 && code <= 0xdfff && wanted < text.length ? wanted - 1 : wanted;
  const next = end < text.length ? end : null;
  return { text: text.slice(start, end), from: start, end, length: text.length, next };
}

/** What stands behind a page: nothing where it is the whole. */
export function pageNote({ from, end, length, next }: TextPage): string {
  if (from === 0 && next === null) return '';
  const more = next === null ? '' : `; go on with from ${next}`;
  return `\n[characters ${from}–${end} of ${length}${more}]`;
}

/** One line of a text, not longer than this. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
