import { takeColumns, widthOf } from '../terminal/fit-text.ts';

/**
 * One printable line broken into pieces of at most `columns`, at spaces where possible. Unlike `wrap` it keeps every
 * space, so that code and tables stay what they are: the pieces in a row are the line.
 */
export function flow(line: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const word of line.match(/[^ ]* *| +/g) ?? []) {
    const width = wordWidth(word, columns);
    if (used > 0 && used + width.visible > columns) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    const cut = width.visible > columns ? cutWord(word, columns) : [word];
    pieces.push(...cut.slice(0, -1).map((part, index) => (index === 0 ? piece + part : part)));
    const last = cut.at(-1) ?? '';
    piece = cut.length > 1 ? last : piece + last;
    used = cut.length > 1 ? widthOf(last) : used + width.whole;
  }
  return piece === '' && pieces.length > 0 ? pieces : [...pieces, piece];
}

/** Spaces at the end of a line may stand beyond the edge. */
function wordWidth(word: string, columns: number): { readonly visible: number; readonly whole: number } {
  // Nobody measures a megabyte to find that it is longer than a line.
  if (word.length > columns * 8) return { visible: word.length, whole: word.length };
  return { visible: widthOf(word.trimEnd()), whole: widthOf(word) };
}

function cutWord(word: string, columns: number): string[] {
  const parts: string[] = [];
  let at = 0;
  while (at < word.length) {
    const head = word.slice(at, at + columns * 8);
    const { taken } = takeColumns(head, columns);
    const part = taken === '' ? String.fromCodePoint(word.codePointAt(at) ?? 32) : taken;
    parts.push(part);
    at += part.length;
  }
  return parts;
}
