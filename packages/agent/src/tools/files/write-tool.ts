import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { countLines } from './count-lines.ts';
import { writeFileAtomically } from './write-file-atomically.ts';
import type { Tool, ToolReply } from '../tool.ts';
import type { Place, Workspace } from './workspace.ts';

const input = z.strictObject({
  path: z.string(),
  content: z.string(),
});
type Args = z.output<typeof input>;

// Larger old files are replaced without saying how many of their lines stay.
const maxComparedBytes = 10 * 1024 * 1024;

/** `write`: a whole file, in one step; folders that are missing are made. */
export function createWriteTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'write',
    description: 'Writes a whole file and makes missing folders. To change a part of a file use edit.',
    input,
    writes: async ({ path }) => [await workspace.keyOf(path)],
    guardedPart: ({ path }) => workspace.guardedPartOf(path),
    idempotent: true,
    execute: (args) => write(workspace, args),
  });
}

async function write(workspace: Workspace, { path, content }: Args): Promise<ToolReply> {
  await using place = await workspace.locate(path, { createFolders: true });
  const before = await textBefore(place);
  const bytes = Buffer.from(content.toWellFormed(), 'utf8');
  await writeFileAtomically(place, bytes);
  const size = `${countLines(content)} lines, ${bytes.length} bytes`;
  if (!place.stats) return `Created ${place.shown} (${size}).`;
  if (before === undefined) return `Replaced ${place.shown} (${size}; before: ${place.stats.size} bytes).`;
  if (before === content) return `${place.shown} already has this content (${size}).`;
  const { added, removed } = changedLines(before, content);
  return `Replaced ${place.shown} (${size}; ${removed} lines gone, ${added} lines new).`;
}

async function textBefore(place: Place): Promise<string | undefined> {
  if (place.stats?.isFile() !== true || place.stats.size > maxComparedBytes) return undefined;
  await using handle = await place.openFile();
  return await handle.readFile('utf8');
}

/** Counts what lies between the common start and the common end. */
function changedLines(before: string, after: string): { added: number; removed: number } {
  const old = before.split('\n');
  const now = after.split('\n');
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return { added: now.length - start - end, removed: old.length - start - end };
}
