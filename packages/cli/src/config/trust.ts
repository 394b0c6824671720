import { parseConfig, userFolder } from '@throughline/config';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ConfigFile, Want } from '@throughline/config';
import type { Cli } from '../composition/cli.ts';
import type { LoadedConfig } from './load-config.ts';

/** What a file of a folder asks for, which it may not have by itself. */
export interface TrustQuestion {
  readonly file: ConfigFile;
  readonly wants: readonly Want[];
  /** It was trusted, and was another one then. */
  readonly hasChanged: boolean;
}

/**
 * The question of trust that a configuration raises; none for a file that somebody named, for the user's own, for one
 * with nothing but harmless keys, and for one that is trusted as it is.
 */
export async function trustQuestionOf(
  { file, result, searched }: LoadedConfig,
  cli: Pick<Cli, 'env'>,
): Promise<TrustQuestion | undefined> {
  const isOfFolder = searched.some(({ state, reason }) => state === 'read' && reason === 'working folder');
  if (!file || !isOfFolder || result.type === 'faults' || result.wants.length === 0) return undefined;
  const stored: StoredTrust = await storedTrust(file, cli);
  if (stored === 'trusted') return undefined;
  return { file, wants: result.wants, hasChanged: stored === 'changed' };
}

/** The same configuration with nothing but the harmless keys of its file. */
export function untrusted(
  loaded: LoadedConfig,
  { env: environment, workingFolder }: Pick<Cli, 'env' | 'workingFolder'>,
): LoadedConfig {
  const result = parseConfig({ file: loaded.file, environment, workingFolder, isTrusted: false });
  return { ...loaded, result };
}

/** Keys that say the same thing in one name each: `mcpServers.files`, `model.baseUrl`. */
export function wantedKeys(wants: readonly Want[]): string {
  const keys = wants.map(({ key }) =>
    key.startsWith('mcpServers.') ? key.split('.').slice(0, 2).join('.') : key,
  );
  return [...new Set(keys)].join(', ');
}

/** Whether a user has trusted a file as it is. `changed`: it was another one then. */
type StoredTrust = 'trusted' | 'changed' | 'unknown';

type Digests = Readonly<Record<string, string>>;

/**
 * What the user has said of this file. Kept outside of every folder that is worked in, by the real path of the folder
 * and the hash of the content: the same content in another folder is another file, since its paths begin there.
 */
async function storedTrust(file: ConfigFile, cli: Pick<Cli, 'env'>): Promise<StoredTrust> {
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
