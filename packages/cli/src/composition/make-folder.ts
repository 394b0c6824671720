import { dirname } from 'node:path';
import { mkdir } from 'node:fs/promises';

/**
 * Makes a folder and those above it, for this user alone. One level at a time: Node's own `recursive` never ends where a
 * file system says that a folder it has is not there, as `/proc` does.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    const above = dirname(folder);
    await makeFolder(above);
    await mkdir(folder, { mode: 0o700 });
  }
}
