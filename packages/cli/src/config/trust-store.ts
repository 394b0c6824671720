import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { userFolder } from '@throughline/config';
import type { ConfigFile } from '@throughline/config';
import type { Cli } from '../cli.ts';

/** Whether a user has trusted a file as it is. `changed`: it was another one then. */
export type StoredTrust = 'trusted' | 'changed' | 'unknown';

type Digests = Readonly<Record<string, string>>;

/**
 * What the user has said of this file. Kept outside of every folder that is worked in, by the real path of the folder
 * and the hash of the content: the same content in another folder is another file, since its paths begin there.
 */
export async function storedTrust(file: ConfigFile, cli: Pick<Cli, 'env'>): Promise<StoredTrust> {
  const path = storePath(cli);
  if (path === undefined) return 'unknown';
  const digest = (await digestsIn(path))[await placeOf(file)];
  if (digest === undefined) return 'unknown';
  return digest === digestOf(file) ? 'trusted' : 'changed';
}

/** Remembers that this file, as it is, may say what it says. `false` where there is no folder of the user to keep it in. */
export async function storeTrust(file: ConfigFile, cli: Pick<Cli, 'env'>): Promise<boolean> {
  const path = storePath(cli);
  if (path === undefined) return false;
  const digests = { ...(await digestsIn(path)), [await placeOf(file)]: digestOf(file) };
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${randomUUID()}.tmp`;
    await writeFile(temporary, `${JSON.stringify({ version: 1, files: digests }, null, 2)}\n`, {
      mode: 0o600,
    });
    await rename(temporary, path);
    return true;
  } catch {
    return false;
  }
}

function storePath({ env }: Pick<Cli, 'env'>): string | undefined {
  const folder = userFolder('data', env);
  return folder === undefined ? undefined : join(folder, 'trusted-files.json');
}

/** None where the file is not there, or not ours. */
async function digestsIn(path: string): Promise<Digests> {
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof stored !== 'object' || stored === null || !('files' in stored)) return {};
    const { files } = stored;
    if (typeof files !== 'object' || files === null) return {};
    return Object.fromEntries(
      Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

async function placeOf({ path }: ConfigFile): Promise<string> {
  return join(await realpath(dirname(path)), basename(path));
}

function digestOf({ text }: ConfigFile): string {
  return createHash('sha256').update(text).digest('hex');
}
