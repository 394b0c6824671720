import { parseJson } from '@throughline/core/internal';
import { jsonErrorAt } from './json-error-at.ts';
import type { LinesDocument, RecordingNote, SourceLine } from '../recording/recording.ts';

const maxLineNotes = 20;

/**
 * Collects the values of a JSONL file, and a note on each line that holds not just one. A log that two programs wrote
 * at once has lines with several: each becomes a line of its own.
 */
export class LineCollector {
  readonly #lines: SourceLine[] = [];
  readonly #notes: (RecordingNote & { readonly end: TextLine['end'] | 'told' })[] = [];
  #lineEnd: '\n' | '\r\n' = '\n';
  #lastEnd: TextLine['end'] = '';
  #lastNumber = 0;
  #brokenCount = 0;
  #untoldCount = 0;

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Lines without any value are in the majority: this is no log of values with a few broken lines. */
  get isMostlyBroken(): boolean {
    return this.#lines.length <= this.#brokenCount;
  }

  /** Takes a line that is one value. */
  acceptWhole(line: TextLine): boolean {
    const value = parseJson(line.text.trim());
    if (value === undefined) return false;
    this.#see(line);
    this.#lines.push({ number: line.number, text: line.text, value });
    return true;
  }

  /** Takes a line that holds several values, or one with a separator behind it. */
  acceptSeveral(line: TextLine): boolean {
    const { values, restAt } = splitValues(line.text);
    if (values.length === 0 || (values.length === 1 && restAt >= 0)) return false;
    this.#see(line);
    const breaks = lineBreakCounter(line.text);
    for (const { start, text, value } of values)
      this.#lines.push({ number: line.number + breaks(start), text: inOneLine(text), value });
    const count = `${values.length} values stand one after another`;
    if (restAt >= 0) this.#note(line, `${count} here, and then what is not valid JSON; that was left out`);
    else if (values.length > 1) this.#note(line, `${count} here; each is read as a line of its own`);
    return true;
  }

  addBroken(line: TextLine): void {
    this.#see(line);
    this.#brokenCount += 1;
    if (this.#notes.length === maxLineNotes) this.#untoldCount += 1;
    else {
      const { number, text, end } = line;
      const column = jsonErrorAt(text) + 1;
      this.#notes.push({
        line: number,
        note: `not valid JSON at column ${column}; the line was left out`,
        end,
      });
    }
  }

  document(): LinesDocument {
    return { type: 'lines', lines: this.#lines, lineEnd: this.#lineEnd, finalEnd: this.#lastEnd };
  }

  notes(): RecordingNote[] {
    const notes = this.#notes.map(({ end, line, note }): RecordingNote => {
      const isCut = line === this.#lastNumber && end === '';
      const told = isCut ? 'the file ends inside this line; it was left out' : note;
      return line === undefined ? { note: told } : { line, note: told };
    });
    if (this.#untoldCount === 0) return notes;
    return [...notes, { note: `${this.#untoldCount} more lines are not valid JSON; they were left out` }];
  }

  #see({ number, end }: TextLine): void {
    this.#lastNumber = number;
    this.#lastEnd = end;
    if (end === '\r\n') this.#lineEnd = '\r\n';
  }

  #note({ number }: TextLine, note: string): void {
    if (this.#notes.length < maxLineNotes) this.#notes.push({ line: number, note, end: 'told' });
  }
}

/** A value that is laid out over many lines, in one: JSON has line breaks between its parts only. */
function inOneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]\s*/g, ' ') : text;
}

/** How many lines begin before a position. Asked in ascending order, all answers together go through the text once. */
function lineBreakCounter(text: string): (position: number) => number {
  let at = text.indexOf('\n');
  let count = 0;
  return (position) => {
    for (; at >= 0 && at < position; at = text.indexOf('\n', at + 1)) count += 1;
    return count;
  };
}

/** A line of a text without its line end. */
export interface TextLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** What ended the line: nothing at the end of the file. */
  readonly end: '' | '\n' | '\r\n';
}

/** Longest line that is put together, in characters. A longer one ends the reading. */
type LineTooLong = (line: number) => Error;

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

/** One JSON object or list of a text that holds several of them. */
interface SplitValue {
  /** Where it begins in the text. */
  readonly start: number;
  readonly text: string;
  readonly value: unknown;
}

interface SplitValues {
  readonly values: readonly SplitValue[];
  /** Position of what is no value any more; −1 where the text ends behind its last value. */
  readonly restAt: number;
}

/** What may stand between values and says nothing: space, commas, record separators, the zeros of a crash. */
const separators: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r', ',', '\u001E', '\0']);

/**
 * The JSON objects and lists that stand one after another in a text, up to what is neither: two programs wrote one
 * log at once, or a tool laid the values out over many lines.
 */
export function splitValues(text: string): SplitValues {
  const values: SplitValue[] = [];
  for (let start = skipSeparators(text, 0); start < text.length;) {
    const value = valueAt(text, start);
    if (value === undefined) return { values, restAt: start };
    values.push(value);
    start = skipSeparators(text, start + value.text.length);
  }
  return { values, restAt: -1 };
}

function valueAt(text: string, start: number): SplitValue | undefined {
  if (text[start] !== '{' && text[start] !== '[') return undefined;
  const rest = text.slice(start);
  const end = jsonErrorAt(rest);
  // A whole value ends where the next character cannot go on with it.
  const candidate = (end < 0 ? rest : rest.slice(0, end)).trimEnd();
  const value = parseJson(candidate);
  return value === undefined ? undefined : { start, text: candidate, value };
}

function skipSeparators(text: string, from: number): number {
  let at = from;
  while (separators.has(text.charAt(at))) at += 1;
  return at;
}

/** Line breaks in a text before a position. */
export function countLineBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
