/** A line of a text without its line end. */
export interface TextLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** What ended the line: nothing at the end of the file. */
  readonly end: '' | '\n' | '\r\n';
}

/** Longest line that is put together, in characters. A longer one ends the reading. */
export type LineTooLong = (line: number) => Error;

/**
 * Lines of a text that arrives in pieces. Holds one line at a time; a byte order mark at the start is left out.
 * @throws what `tooLong` makes when a line has more than `maxChars` characters.
 */
export async function* splitLines(
  chunks: AsyncIterable<string>,
  maxChars: number,
  tooLong: LineTooLong,
): AsyncGenerator<TextLine> {
  let number = 0;
  let pending: string[] = [];
  let pendingChars = 0;
  let isFirst = true;
  for await (const raw of chunks) {
    const chunk = isFirst && raw.charCodeAt(0) === 0xfeff ? raw.slice(1) : raw;
    if (raw !== '') isFirst = false;
    let from = 0;
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
      pending.push(chunk.slice(from, at));
      number += 1;
      yield completeLine(pending.join(''), number);
      pending = [];
      pendingChars = 0;
      from = at + 1;
    }
    pending.push(chunk.slice(from));
    pendingChars += chunk.length - from;
    if (pendingChars > maxChars) throw tooLong(number + 1);
  }
  const rest = pending.join('');
  if (rest !== '') yield { number: number + 1, text: rest, end: '' };
}

function completeLine(text: string, number: number): TextLine {
  return text.endsWith('\r') ? { number, text: text.slice(0, -1), end: '\r\n' } : { number, text, end: '\n' };
}
