import { dirname } from 'node:path';
import { stat } from 'node:fs/promises';

/** The path, or the nearest above it that is there. */
export async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const isThere = await stat(folder).then(
      () => true,
      () => false,
    );
    if (isThere || dirname(folder) === folder) return folder;
  }
}
