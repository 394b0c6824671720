import { constants, existsSync } from 'node:fs';
import { mkdir, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileHandle } from 'node:fs/promises';

/**
 * An open folder. Names are looked up in the folder that was opened, whatever happens to its path meanwhile: on Linux
 * `base` goes through the handle (`/proc/self/fd/N`), which is what `openat` does in C. Elsewhere `base` is the path,
 * and it is checked after opening that it still leads to the folder that was opened.
 */
export interface Folder extends AsyncDisposable {
  /** Prefix for names in this folder. */
  readonly base: string;
  /** Where it is, for messages and keys. Absolute. */
  readonly path: string;
  /** The folder `name` in it, which is no link; it is made where `create` is set and it is missing. */
  open(name: string, options?: { readonly create?: boolean }): Promise<Folder>;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const handlesArePaths = existsSync('/proc/self/fd');

/** Opens a folder by its real path. `byHandle: false` is how systems without `/proc` work. */
export async function openFolder(path: string, byHandle = handlesArePaths): Promise<Folder> {
  return folderOf(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path, byHandle);
}

async function folderOf(handle: FileHandle, path: string, byHandle: boolean): Promise<Folder> {
  try {
    if (!byHandle) await requireSame(handle, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  const base = byHandle ? `/proc/self/fd/${handle.fd}` : path;
  return {
    base,
    path,
    async open(name, { create = false } = {}) {
      const child = join(base, name);
      if (create) await mkdir(child).catch(ignoreExisting);
      return folderOf(await open(child, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), join(path, name), byHandle);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function requireSame(handle: FileHandle, path: string): Promise<void> {
  const [opened, now, real] = await Promise.all([handle.stat(), stat(path), realpath(path)]);
  if (opened.dev === now.dev && opened.ino === now.ino && real === path) return;
  throw Object.assign(new Error(`${path} changed while it was opened`), { code: 'ELOOP' });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
