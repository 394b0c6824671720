import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathRefused } from './path-refused.ts';
import { asRefusal } from './workspace.ts';
import type { Stats } from 'node:fs';
import type { Place } from './workspace.ts';

/**
 * Puts `bytes` at `place` in one step: a reader sees the old file or the new one. The mode and, where allowed, the owner of
 * an old file stay. Nothing is written when what is there is not what `place` found.
 */
export async function writeFileAtomically(place: Place, bytes: Uint8Array): Promise<void> {
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
export function requireWritable({ stats, shown, name }: Place): void {
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

async function requireUnchanged({ path, stats, shown }: Place): Promise<void> {
  const now = await lstat(path).catch(() => undefined);
  const isSame = now?.ino === stats?.ino && now?.mtimeMs === stats?.mtimeMs && now?.size === stats?.size;
  if (!isSame) throw pathRefused(shown, 'was changed by something else meanwhile; read it again');
}
