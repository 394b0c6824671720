import { createRequire } from 'node:module';
import type * as StringWidth from 'string-width';

// C0 and C1 controls, line and paragraph separators, and the marks that reorder text.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g; // oxlint-disable-line no-control-regex

/**
 * Text from a transcript that a terminal can show without obeying it: control characters and escape sequences become
 * visible symbols, reordering marks and lone surrogates U+FFFD. The result has no line breaks and no tabs.
 */
export function printable(text: string): string {
  return text.toWellFormed().replace(unsafe, symbolOf);
}

/** The same with line breaks kept and tabs as two spaces, for texts of several lines. */
export function printableLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => printable(line.replaceAll('\t', '  ')));
}

function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x09 || code === 0x0a || code === 0x0d) return ' ';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

// What JSON leaves as it is although a terminal may obey it.
const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value as indented JSON that a terminal can show without obeying it. */
export function jsonText(value: unknown): string {
  return shown(JSON.stringify(value, null, 2));
}

/** The same on one line. */
export function jsonLine(value: unknown): string {
  return shown(JSON.stringify(value));
}

function shown(text: string): string {
  return `${text.replace(unsafeInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

const ellipsis = '…';
const require = createRequire(import.meta.url);

/** Columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** One column for each character: ASCII, and what western Europe writes beside it, without the soft hyphen. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xac\xae-\xff]*$/.test(text);
}

// Tables of all scripts take as long to load as a third of a start: only where a text needs them.
let measure: typeof StringWidth.default | undefined;
function stringWidth(text: string): number {
  measure ??= (require('string-width') as typeof StringWidth).default;
  return measure(text);
}

let segmenter: Intl.Segmenter | undefined;
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** The text cut to at most `columns`, with an ellipsis where something was cut off. Never splits a character. */
export function cutTo(text: string, columns: number): string {
  if (columns <= 0) return '';
  // No character takes less than a column worth speaking of: longer texts need not be measured whole.
  const head = text.length > columns * 8 ? text.slice(0, columns * 8).toWellFormed() : text;
  if (head.length === text.length && widthOf(text) <= columns) return text;
  return takeColumns(head, columns - 1).taken + ellipsis;
}

/** The text with its middle cut out: the ends of paths and commands say most. */
export function cutMiddle(text: string, columns: number): string {
  if (text.length <= columns * 8 && widthOf(text) <= columns) return text;
  const tailColumns = Math.floor((columns - 1) / 2);
  const head = takeColumns(text.slice(0, columns * 8).toWellFormed(), columns - 1 - tailColumns).taken;
  const end = [...graphemesOf(text.slice(-columns * 4).toWellFormed())].map(({ segment }) => segment);
  let tail = '';
  for (let index = end.length - 1; index >= 0; index -= 1) {
    const next = `${end[index] ?? ''}${tail}`;
    if (widthOf(next) > tailColumns) break;
    tail = next;
  }
  return head + ellipsis + tail;
}

/** As many whole characters as fit, and the rest. */
export function takeColumns(
  text: string,
  columns: number,
): { readonly taken: string; readonly rest: string } {
  if (isPlain(text)) return { taken: text.slice(0, columns), rest: text.slice(columns) };
  let used = 0;
  let end = 0;
  for (const { segment } of graphemesOf(text)) {
    const width = widthOf(segment);
    if (used + width > columns) break;
    used += width;
    end += segment.length;
  }
  return { taken: text.slice(0, end), rest: text.slice(end) };
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text;
}

/**
 * Lines of at most `columns`, broken at spaces where possible; a word that is longer is cut. The indentation of the
 * first line is kept on all.
 */
export function wrap(text: string, columns: number): string[] {
  const indent = /^ */.exec(text)?.[0].slice(0, Math.max(0, columns - 20)) ?? '';
  const room = Math.max(1, columns - indent.length);
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(/^ +| +$/g, '').split(/ +/)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (widthOf(line) > room) {
      const { taken, rest } = takeColumns(line, room);
      lines.push(taken === '' ? line.slice(0, 1) : taken);
      line = taken === '' ? line.slice(1) : rest;
    }
  }
  lines.push(line);
  return lines.map((one) => (one === '' ? '' : indent + one));
}
