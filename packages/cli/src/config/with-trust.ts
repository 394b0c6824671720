import { parseConfig } from '@throughline/config';
import { storedTrust } from './trust-store.ts';
import type { ConfigFile, Want } from '@throughline/config';
import type { Cli } from '../cli.ts';
import type { LoadedConfig } from './load-config.ts';
import type { StoredTrust } from './trust-store.ts';

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
