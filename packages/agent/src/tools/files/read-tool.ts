import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { defaultMaxOutputChars } from '../output-text.ts';
import { fileTypeOf } from './file-type.ts';
import type { FileHandle } from 'node:fs/promises';
import type { Tool, ToolContext, ToolReply } from '../tool.ts';
import type { WorkspacePlace, Workspace } from './workspace.ts';

const input = z.strictObject({
  path: z.string(),
  offset: z.int().min(1).optional().describe('First line, from 1'),
  limit: z.int().min(1).optional().describe('Most lines'),
});
type Args = z.output<typeof input>;

// What providers take as one image.
const maxImageBytes = 5 * 1024 * 1024;
const typeBytes = 8 * 1024;

/** `read`: lines of a text file with their numbers, or an image as an image. */
export function createReadTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'read',
    description:
      'Reads a file: text with line numbers, which are not part of it, or an image. For long files use offset and limit.',
    input,
    reads: async ({ path }) => [await workspace.keyOf(path)],
    privatePart: ({ path }) => workspace.privatePartOf(path),
    execute: (args, context) => read(workspace, args, context),
  });
}

async function read(workspace: Workspace, args: Args, context: ToolContext): Promise<ToolReply> {
  await using place = await workspace.locate(args.path);
  await using handle = await place.openFile();
  const start = Buffer.alloc(typeBytes);
  const { bytesRead } = await handle.read(start, 0, typeBytes, 0);
  const { size } = await handle.stat();
  const type = fileTypeOf(start.subarray(0, bytesRead));
  if (type.type === 'image') return await readImage(handle, place, type.mediaType);
  if (type.type === 'binary') {
    return { content: `${place.shown} is not text: ${type.kind}, ${size} bytes.`, isError: true };
  }
  const { maxLines = 2_000, maxLineLength = 2_000, maxOutputChars = defaultMaxOutputChars } = context.limits;
  const firstLine = args.offset ?? 1;
  const found = await readLines(handle, {
    firstLine,
    maxLines: Math.min(args.limit ?? maxLines, maxLines),
    maxLineLength,
    // Room for the numbers and the closing note.
    maxChars: maxOutputChars * 0.95 - 300,
    signal: context.signal,
  });
  return showLines(place.shown, firstLine, found);
}

function showLines(shown: string, firstLine: number, found: ReadLines): ToolReply {
  const { lines, cut, totalLines, isTotalExact } = found;
  const total = isTotalExact ? String(totalLines) : `more than ${totalLines}`;
  if (totalLines === 0) return `(${shown} is empty)`;
  if (lines.length === 0) {
    return { content: `${shown} has ${total} lines; there is no line ${firstLine}.`, isError: true };
  }
  const numbered = lines.map((line, index) => {
    const chars = cut.get(index);
    const rest = chars === undefined ? '' : ` [… line cut, it has ${chars} characters …]`;
    return `${String(firstLine + index).padStart(6)}\t${line}${rest}`;
  });
  const last = firstLine + lines.length - 1;
  const isAll = firstLine === 1 && isTotalExact && last === totalLines;
  const more = last < totalLines ? `; go on with offset ${last + 1}` : '';
  const note = isAll ? [] : [`[lines ${firstLine}–${last} of ${total}${more}]`];
  return [...numbered, ...note].join('\n');
}

async function readImage(
  handle: FileHandle,
  { shown, name }: WorkspacePlace,
  mediaType: string,
): Promise<ToolReply> {
  const { size } = await handle.stat();
  if (size > maxImageBytes) {
    const content = `${shown} is an image (${mediaType}) of ${size} bytes; the most that can be shown is ${maxImageBytes}.`;
    return { content, isError: true };
  }
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await handle.read(bytes, 0, size, 0);
  const data = bytes.subarray(0, bytesRead).toString('base64');
  return {
    content: [
      { type: 'text', text: `${shown} (${mediaType}, ${bytesRead} bytes)` },
      { type: 'media', mediaType, source: { type: 'base64', data }, filename: name },
    ],
  };
}

interface LineRange {
  /** First line, from 1. */
  readonly firstLine: number;
  readonly maxLines: number;
  /** A longer line is cut there; the rest of it is read and forgotten. */
  readonly maxLineLength: number;
  /** Reading stops at the line that would go beyond. */
  readonly maxChars: number;
  readonly signal?: AbortSignal;
}

interface ReadLines {
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
async function readLines(handle: FileHandle, range: LineRange): Promise<ReadLines> {
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
  readonly #range: LineRange;
  readonly #lines: string[] = [];
  readonly #cut = new Map<number, number>();
  #number = 1;
  #line = '';
  #lineChars = 0;
  #chars = 0;
  isFull = false;

  constructor(range: LineRange) {
    // A line longer than everything that may be shown is not held either.
    this.#range = { ...range, maxLineLength: Math.min(range.maxLineLength, Math.max(1, range.maxChars)) };
  }

  add(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#grow(text, start, end);
      this.#close();
      start = end + 1;
    }
    this.#grow(text, start, text.length);
  }

  finish(isTotalExact: boolean): ReadLines {
    // A last line without a line break is a line; nothing after the last break is none.
    if (this.#lineChars > 0) this.#close();
    return { lines: this.#lines, cut: this.#cut, totalLines: this.#number - 1, isTotalExact };
  }

  #grow(text: string, start: number, end: number): void {
    this.#lineChars += end - start;
    const room = this.#range.maxLineLength + 1 - this.#line.length;
    if (!this.isFull && this.#number >= this.#range.firstLine && room > 0) {
      this.#line += text.slice(start, Math.min(end, start + room));
    }
  }

  #close(): void {
    if (!this.isFull && this.#number >= this.#range.firstLine) this.#take();
    this.#number += 1;
    this.#line = '';
    this.#lineChars = 0;
  }

  #take(): void {
    const { maxLineLength, maxChars, maxLines } = this.#range;
    const isCut =
      this.#lineChars > maxLineLength &&
      !(this.#line.endsWith('\r') && this.#lineChars === maxLineLength + 1);
    const shown = isCut ? endOnCodePoint(this.#line.slice(0, maxLineLength)) : this.#line.replace(/\r$/, '');
    if (this.#chars + shown.length > maxChars && this.#lines.length > 0) {
      this.isFull = true;
      return;
    }
    if (isCut) this.#cut.set(this.#lines.length, this.#lineChars);
    this.#lines.push(shown);
    this.#chars += shown.length + 8;
    this.isFull = this.#lines.length >= maxLines;
  }
}

function endOnCodePoint(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
