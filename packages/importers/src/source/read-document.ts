import { countLineBreaks } from './count-line-breaks.ts';
import { jsonErrorAt } from './json-error-at.ts';
import { splitLines } from './split-lines.ts';
import { unreadable } from './unreadable.ts';
import type { RecordingNote } from '../recording.ts';
import type { JsonDocument, LinesDocument, RecordedDocument, SourceLine } from './document.ts';
import type { TextLine } from './split-lines.ts';

export interface DocumentLimits {
  /** Largest JSON file, and longest line of a JSONL file, in characters. */
  readonly maxJsonChars: number;
  /** Largest JSONL file, in characters. */
  readonly maxLinesChars: number;
}

export const defaultLimits: DocumentLimits = { maxJsonChars: 128_000_000, maxLinesChars: 400_000_000 };

export interface ReadDocument {
  readonly document: RecordedDocument;
  readonly notes: readonly RecordingNote[];
}

const maxLineNotes = 20;

/** A line that is not JSON, and where it stops being so. */
interface BrokenLine extends Pick<TextLine, 'number' | 'end'> {
  readonly column: number;
}

/**
 * Reads a text as JSONL, line by line, or as one JSON value. Blank lines and `//` comment lines are left out; lines
 * that are not JSON are left out with a note, as long as others can be read.
 * @throws ContextError `unreadable-file` for an empty text, one that is neither, and one above the limits.
 */
export async function readDocument(
  chunks: AsyncIterable<string>,
  file: string,
  limits: DocumentLimits = defaultLimits,
): Promise<ReadDocument> {
  const lines = splitLines(chunks, limits.maxJsonChars, (line) =>
    unreadable(file, `the line is longer than ${inMillions(limits.maxJsonChars)} characters`, line),
  );
  const reader = new DocumentReader(file, limits);
  for await (const line of lines) reader.accept(line);
  return reader.finish();
}

class DocumentReader {
  readonly #file: string;
  readonly #limits: DocumentLimits;
  readonly #lines: SourceLine[] = [];
  readonly #broken: BrokenLine[] = [];
  #brokenCount = 0;
  #lineEnd: '\n' | '\r\n' = '\n';
  #lastEnd: TextLine['end'] = '';
  #lastNumber = 0;
  /** Set once the first content line is not a value of its own: then the file is one JSON value. */
  #json: { readonly firstLine: number; readonly parts: string[] } | undefined;
  #chars = 0;

  constructor(file: string, limits: DocumentLimits) {
    this.#file = file;
    this.#limits = limits;
  }

  accept(line: TextLine): void {
    this.#lastNumber = line.number;
    this.#chars += line.text.length + line.end.length;
    if (this.#json) {
      this.#json.parts.push(line.text, line.end);
      this.#refuseAbove(this.#limits.maxJsonChars, 'a JSON file (JSONL files may be larger)');
      return;
    }
    const trimmed = line.text.trim();
    if (trimmed === '' || trimmed.startsWith('//')) return;
    this.#refuseAbove(this.#limits.maxLinesChars, 'a JSONL file');
    if (line.end === '\r\n') this.#lineEnd = '\r\n';
    this.#lastEnd = line.end;
    const value = parse(trimmed);
    if (value !== undefined) this.#lines.push({ number: line.number, text: line.text, value });
    else if (this.#lines.length === 0 && this.#brokenCount === 0) this.#startJson(line, trimmed);
    else this.#addBroken(line);
  }

  finish(): ReadDocument {
    if (this.#json) return this.#finishJson(this.#json.firstLine, this.#json.parts.join(''));
    if (this.#lines.length === 0) throw unreadable(this.#file, 'the file is empty');
    return { document: this.#linesDocument(), notes: this.#brokenNotes() };
  }

  #startJson(line: TextLine, trimmed: string): void {
    if (isEncoded(trimmed)) {
      const reason = 'this is not UTF-8 text (UTF-16 without its mark, or a binary file); save it as UTF-8';
      throw unreadable(this.#file, reason, line.number);
    }
    if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) {
      const reason = 'neither JSON nor JSONL: the first line does not start with { or [';
      throw unreadable(this.#file, reason, line.number);
    }
    this.#json = { firstLine: line.number, parts: [line.text, line.end] };
  }

  #finishJson(firstLine: number, text: string): ReadDocument {
    try {
      const document: JsonDocument = { type: 'json', text, value: JSON.parse(text) as unknown };
      return { document, notes: [] };
    } catch {
      return this.#linesAfterAll(text, firstLine) ?? this.#notJson(text, firstLine);
    }
  }

  /** A JSONL file whose first line is broken. */
  #linesAfterAll(text: string, firstLine: number): ReadDocument | undefined {
    const lines = text.split('\n').map((line, index) => {
      return { number: firstLine + index, text: line.endsWith('\r') ? line.slice(0, -1) : line };
    });
    const content = lines.filter(({ text: line }) => line.trim() !== '' && !line.trim().startsWith('//'));
    for (const { number, text: line } of content) {
      const value = line.trimStart().startsWith('{') ? parse(line) : undefined;
      if (value !== undefined) this.#lines.push({ number, text: line, value });
      else this.#addBroken({ number, text: line, end: '\n' });
    }
    if (this.#lines.length <= this.#brokenCount) return undefined;
    return { document: this.#linesDocument(), notes: this.#brokenNotes() };
  }

  #notJson(text: string, firstLine: number): never {
    const content = text.trimEnd();
    const position = jsonErrorAt(content);
    const isCut = position >= content.length;
    const line = firstLine + countLineBreaks(content, position);
    if (isCut)
      throw unreadable(this.#file, 'the JSON ends too early; the file seems to be cut off', { line });
    const column = position - content.lastIndexOf('\n', position - 1);
    throw unreadable(this.#file, 'this is not valid JSON', { line, column });
  }

  #addBroken(line: TextLine): void {
    this.#brokenCount += 1;
    if (this.#broken.length === maxLineNotes) return;
    this.#broken.push({ number: line.number, column: jsonErrorAt(line.text) + 1, end: line.end });
  }

  #brokenNotes(): RecordingNote[] {
    const notes: RecordingNote[] = this.#broken.map(({ number, column, end }) => {
      const isCut = number === this.#lastNumber && end === '';
      return {
        line: number,
        note: isCut
          ? 'the file ends inside this line; it was left out'
          : `not valid JSON at column ${column}; the line was left out`,
      };
    });
    const more = this.#brokenCount - notes.length;
    if (more > 0) notes.push({ note: `${more} more lines are not valid JSON; they were left out` });
    return notes;
  }

  #linesDocument(): LinesDocument {
    return { type: 'lines', lines: this.#lines, lineEnd: this.#lineEnd, finalEnd: this.#lastEnd };
  }

  #refuseAbove(maxChars: number, what: string): void {
    if (this.#chars <= maxChars) return;
    throw unreadable(this.#file, `too large: ${what} is read up to ${inMillions(maxChars)} characters`);
  }
}

/** Whether a text is of another encoding than the reader took it for: it holds what no JSON may. */
function isEncoded(start: string): boolean {
  return start.startsWith('\uFFFD') || start.slice(0, 100).includes('\0');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function inMillions(chars: number): string {
  return `${Math.round(chars / 1_000_000)} million`;
}
