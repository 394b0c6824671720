import { StringDecoder } from 'node:string_decoder';
import type { FileHandle } from 'node:fs/promises';

export interface LineRange {
  /** First line, from 1. */
  readonly firstLine: number;
  readonly maxLines: number;
  /** A longer line is cut there; the rest of it is read and forgotten. */
  readonly maxLineLength: number;
  /** Reading stops at the line that would go beyond. */
  readonly maxChars: number;
  readonly signal?: AbortSignal;
}

export interface ReadLines {
  readonly lines: readonly string[];
  /** How many characters each cut line had, by index in `lines`. */
  readonly cut: ReadonlyMap<number, number>;
  /** All lines of the file; of a very large one those counted until giving up. */
  readonly totalLines: number;
  readonly isTotalExact: boolean;
}

const chunkBytes = 64 * 1024;
// Looking for a far line reads that far and no farther; counting what follows stops much earlier.
const maxScanBytes = 1024 * 1024 * 1024;
const maxCountBytes = 64 * 1024 * 1024;

/** Some lines of a text file, in memory bounded by the range, whatever the size of the file or of a line. */
export async function readLines(handle: FileHandle, range: LineRange): Promise<ReadLines> {
  const collector = new LineCollector(range);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let position = 0;
  let countedSince = 0;
  while (position < maxScanBytes && countedSince < maxCountBytes) {
    range.signal?.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) {
      collector.add(decoder.end());
      return collector.finish(true);
    }
    position += bytesRead;
    collector.add(decoder.write(buffer.subarray(0, bytesRead)));
    if (collector.isFull) countedSince += bytesRead;
  }
  return collector.finish(false);
}

class LineCollector {
  private readonly range: LineRange;
  private readonly lines: string[] = [];
  private readonly cut = new Map<number, number>();
  private number = 1;
  private line = '';
  private lineChars = 0;
  private chars = 0;
  isFull = false;

  constructor(range: LineRange) {
    // A line longer than everything that may be shown is not held either.
    this.range = { ...range, maxLineLength: Math.min(range.maxLineLength, Math.max(1, range.maxChars)) };
  }

  add(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.grow(text, start, end);
      this.close();
      start = end + 1;
    }
    this.grow(text, start, text.length);
  }

  finish(isTotalExact: boolean): ReadLines {
    // A last line without a line break is a line; nothing after the last break is none.
    if (this.lineChars > 0) this.close();
    return { lines: this.lines, cut: this.cut, totalLines: this.number - 1, isTotalExact };
  }

  private grow(text: string, start: number, end: number): void {
    this.lineChars += end - start;
    const room = this.range.maxLineLength + 1 - this.line.length;
    if (!this.isFull && this.number >= this.range.firstLine && room > 0) {
      this.line += text.slice(start, Math.min(end, start + room));
    }
  }

  private close(): void {
    if (!this.isFull && this.number >= this.range.firstLine) this.take();
    this.number += 1;
    this.line = '';
    this.lineChars = 0;
  }

  private take(): void {
    const { maxLineLength, maxChars, maxLines } = this.range;
    const isCut =
      this.lineChars > maxLineLength && !(this.line.endsWith('\r') && this.lineChars === maxLineLength + 1);
    const shown = isCut ? endOnCodePoint(this.line.slice(0, maxLineLength)) : this.line.replace(/\r$/, '');
    if (this.chars + shown.length > maxChars && this.lines.length > 0) {
      this.isFull = true;
      return;
    }
    if (isCut) this.cut.set(this.lines.length, this.lineChars);
    this.lines.push(shown);
    this.chars += shown.length + 8;
    this.isFull = this.lines.length >= maxLines;
  }
}

function endOnCodePoint(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
