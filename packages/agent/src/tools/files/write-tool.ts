import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { asRefusal, pathRefused } from './workspace.ts';
import type { Stats } from 'node:fs';
import type { Tool, ToolReply } from '../tool.ts';
import type { WorkspacePlace, Workspace } from './workspace.ts';

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

async function textBefore(place: WorkspacePlace): Promise<string | undefined> {
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

/** Lines of a text; a line break at the end closes the last one and opens none. */
function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * Puts `bytes` at `place` in one step: a reader sees the old file or the new one. The mode and, where allowed, the owner of
 * an old file stay. Nothing is written when what is there is not what `place` found.
 */
export async function writeFileAtomically(place: WorkspacePlace, bytes: Uint8Array): Promise<void> {
  requireWritable(place);
  const temporary = join(place.folder.base, `.throughline-${randomUUID()}.tmp`);
  try {
    await writeNew(temporary, bytes, place.stats);
    await requireUnchanged(place);
    await rename(temporary, place.path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw asRefusal(error, place.shown);
  }
}

/** @throws when the place cannot take a file. */
export function requireWritable({ stats, shown, name }: WorkspacePlace): void {
  if (name === '.' || stats?.isDirectory() === true) throw pathRefused(shown, 'is a folder');
  if (stats && !stats.isFile()) throw pathRefused(shown, 'is no regular file');
  if (stats && (stats.mode & 0o222) === 0) throw pathRefused(shown, 'is read-only');
}

async function writeNew(path: string, bytes: Uint8Array, old: Stats | undefined): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  await using handle = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o666);
  await handle.writeFile(bytes);
  if (old) {
    const made = await handle.stat();
    if (made.uid !== old.uid || made.gid !== old.gid) await handle.chown(old.uid, old.gid).catch(() => {});
    await handle.chmod(old.mode & 0o7777);
  }
  await handle.sync();
}

async function requireUnchanged({ path, stats, shown }: WorkspacePlace): Promise<void> {
  const now = await lstat(path).catch(() => undefined);
  const isSame = now?.ino === stats?.ino && now?.mtimeMs === stats?.mtimeMs && now?.size === stats?.size;
  if (!isSame) throw pathRefused(shown, 'was changed by something else meanwhile; read it again');
}
