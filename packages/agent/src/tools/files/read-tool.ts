import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { fileTypeOf } from './file-type.ts';
import { readLines } from './read-lines.ts';
import type { FileHandle } from 'node:fs/promises';
import type { Tool, ToolContext, ToolReply } from '../tool.ts';
import type { ReadLines } from './read-lines.ts';
import type { Place, Workspace } from './workspace.ts';

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
  const { maxLines = 2_000, maxLineLength = 2_000, maxOutputChars = 120_000 } = context.limits;
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

async function readImage(handle: FileHandle, { shown, name }: Place, mediaType: string): Promise<ToolReply> {
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
