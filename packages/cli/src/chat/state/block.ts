import { countOf } from '../../terminal/numbers.ts';
import { printableLines, takeColumns, widthOf } from '../../terminal/text.ts';
import type { Paint, Style } from '../../terminal/page.ts';

/** How a text is shown. */
export type Tone = 'plain' | 'heading' | 'code' | 'faint' | 'good' | 'warning' | 'bad';

/** Who says it: a blank line separates those who say different things. */
export type Speaker = 'user' | 'text' | 'reasoning' | 'tool' | 'notice';

/**
 * Lines that are printed once and then belong to the terminal. The text may be anything, a model's or a tool's: it is
 * made printable when it becomes rows.
 */
export interface Block {
  readonly speaker: Speaker;
  readonly tone: Tone;
  readonly text: string;
  /** Stands before the first row; the others are indented by its width. */
  readonly mark?: string;
  /** How many lines at the beginning and at the end of a longer text are shown. */
  readonly fold?: { readonly head: number; readonly tail: number };
}

const paints = {
  plain: undefined,
  heading: 'heading',
  code: 'bar',
  faint: 'faint',
  good: 'good',
  warning: 'warning',
  bad: 'bad',
} as const satisfies Record<Tone, keyof Style | undefined>;

export function paintOf(tone: Tone, style: Style): Paint {
  const name = paints[tone];
  return name === undefined ? (text) => text : style[name];
}

/** Rows of a block, each at most `columns` wide. */
export function rowsOf({ text, mark = '', tone, fold }: Block, columns: number, style: Style): string[] {
  const indent = widthOf(mark);
  const paint = paintOf(tone, style);
  const lines = fold ? folded(text, fold, columns) : printableLines(text);
  const rows = lines.flatMap((line) => flow(line, Math.max(4, columns - indent)));
  return rows.map((row, index) => {
    const shown = row.trimEnd();
    const before = index === 0 ? mark : ' '.repeat(indent);
    return shown === '' ? before.trimEnd() : paint(before + shown);
  });
}

/** The first and the last lines and how many are between; long ones are cut to two rows. */
function folded(text: string, { head, tail }: { head: number; tail: number }, columns: number): string[] {
  const lines = text.replace(/\s+$/, '').split(/\r\n|\r|\n/);
  const show = (some: readonly string[]): string[] => some.map((line) => cutLine(line, columns * 2));
  if (lines.length <= head + tail + 1) return show(lines);
  const hidden = `… ${countOf(lines.length - head - tail, 'more line')}`;
  return [...show(lines.slice(0, head)), hidden, ...show(tail === 0 ? [] : lines.slice(-tail))];
}

function cutLine(line: string, length: number): string {
  const [shown = ''] = printableLines(line.slice(0, length + 1));
  return line.length > length ? `${shown.slice(0, length - 1)}…` : shown;
}

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

/** Longer messages are shown by their beginning and their end: whoever pasted them knows them. */
const longestChars = 4_000;
const longestLines = 40;
const ofLong = { head: 8, tail: 4 };

/** What the user said or typed. */
export function userBlock(text: string, wanted?: Block['fold']): Block {
  const isLong = text.length > longestChars || text.split('\n', longestLines + 1).length > longestLines;
  const fold = wanted ?? (isLong ? ofLong : undefined);
  return { speaker: 'user', tone: 'heading', mark: '› ', text, ...(fold && { fold }) };
}
