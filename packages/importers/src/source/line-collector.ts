import { jsonErrorAt } from './json-error-at.ts';
import { splitValues } from './split-values.ts';
import type { RecordingNote } from '../recording.ts';
import type { LinesDocument, SourceLine } from './document.ts';
import type { TextLine } from './split-lines.ts';

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
    const value = parse(line.text.trim());
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
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
