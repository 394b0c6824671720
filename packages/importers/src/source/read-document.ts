import { countLineBreaks, LineCollector, splitLines } from './lines.ts';
import { jsonErrorAt } from './json-error-at.ts';
import { unreadable } from './unreadable.ts';
import type { JsonDocument, RecordedDocument, RecordingNote } from '../recording/recording.ts';
import type { ContextError } from '@throughline/core';
import type { TextLine } from './lines.ts';

/** How much of a file is read. What is larger is `unreadable-file`. */
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

/**
 * Reads a text as JSONL, line by line, or as one JSON value. Blank lines and `//` comment lines are left out; lines
 * that are not JSON are left out with a note, as long as others can be read. Values that stand in one line, or one
 * after another over many lines, become lines of their own.
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
  readonly #lines = new LineCollector();
  /** Why the first content line is neither a value nor the start of one. */
  #refusal: ContextError<'unreadable-file'> | undefined;
  /** Set once the first content line is not a value of its own: then the file is one JSON value. */
  #json: { readonly firstLine: number; readonly parts: string[] } | undefined;
  #chars = 0;

  constructor(file: string, limits: DocumentLimits) {
    this.#file = file;
    this.#limits = limits;
  }

  accept(line: TextLine): void {
    this.#chars += line.text.length + line.end.length;
    if (this.#json) {
      this.#json.parts.push(line.text, line.end);
      this.#refuseAbove(this.#limits.maxJsonChars, 'a JSON file (JSONL files may be larger)');
      return;
    }
    const trimmed = line.text.trim();
    if (isPassedOver(trimmed)) return;
    this.#refuseAbove(this.#limits.maxLinesChars, 'a JSONL file');
    const isTaken = this.#lines.acceptWhole(line) || this.#lines.acceptSeveral(line);
    if (isTaken) return;
    if (this.#lines.isEmpty && this.#refusal === undefined) this.#startJson(line, trimmed);
    else this.#lines.addBroken(line);
  }

  finish(): ReadDocument {
    if (this.#json) return this.#finishJson(this.#json.firstLine, this.#json.parts.join(''));
    if (this.#refusal && this.#lines.isMostlyBroken) throw this.#refusal;
    if (this.#lines.isEmpty) throw unreadable(this.#file, 'the file is empty');
    return this.#asLines();
  }

  /** A first line that is no value begins one over many lines, or it is the rest of a log that was cut in front. */
  #startJson(line: TextLine, trimmed: string): void {
    const isStart = trimmed.startsWith('{') || trimmed.startsWith('[');
    if (isStart && !isEncoded(trimmed)) {
      this.#json = { firstLine: line.number, parts: [line.text, line.end] };
      return;
    }
    const reason = isEncoded(trimmed) ? notText : notJson;
    this.#refusal = unreadable(this.#file, reason, line.number);
    this.#lines.addBroken(line);
  }

  #finishJson(firstLine: number, text: string): ReadDocument {
    try {
      const document: JsonDocument = { type: 'json', text, value: JSON.parse(text) as unknown };
      return { document, notes: [] };
    } catch {
      return this.#linesAfterAll(text, firstLine) ?? this.#notJson(text, firstLine);
    }
  }

  /** A JSONL file whose first line is broken, or values one after another that are laid out over many lines. */
  #linesAfterAll(text: string, firstLine: number): ReadDocument | undefined {
    for (const [index, one] of text.split('\n').entries()) {
      const [content, end] = one.endsWith('\r') ? [one.slice(0, -1), '\r\n' as const] : [one, '\n' as const];
      const trimmed = content.trim();
      if (isPassedOver(trimmed)) continue;
      const line = { number: firstLine + index, text: content, end };
      // Of values that are laid out over many lines some lines are values as well.
      if (!trimmed.startsWith('{') || !this.#lines.acceptWhole(line)) this.#lines.addBroken(line);
    }
    if (!this.#lines.isMostlyBroken) return this.#asLines();
    const laidOut = new LineCollector();
    const isSeveral = laidOut.acceptSeveral({ number: firstLine, text, end: '\n' });
    return isSeveral ? { document: laidOut.document(), notes: laidOut.notes() } : undefined;
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

  #asLines(): ReadDocument {
    return { document: this.#lines.document(), notes: this.#lines.notes() };
  }

  #refuseAbove(maxChars: number, what: string): void {
    if (this.#chars <= maxChars) return;
    throw unreadable(this.#file, `too large: ${what} is read up to ${inMillions(maxChars)} characters`);
  }
}

const notText = 'this is not UTF-8 text (UTF-16 without its mark, or a binary file); save it as UTF-8';
const notJson = 'neither JSON nor JSONL: the first line does not start with { or [';

/** Blank lines and comments. */
function isPassedOver(trimmed: string): boolean {
  return trimmed === '' || trimmed.startsWith('//');
}

/** Whether a text is of another encoding than the reader took it for: it holds what no JSON may. */
function isEncoded(start: string): boolean {
  return start.startsWith('\uFFFD') || start.slice(0, 100).includes('\0');
}

function inMillions(chars: number): string {
  return `${Math.round(chars / 1_000_000)} million`;
}
