import { configCandidates, parseConfig } from '@throughline/config';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { systemCodeOf, unreadable } from '../outcome/failure.ts';
import type { ConfigCandidate, ConfigFile, ConfigResult } from '@throughline/config';
import type { Cli } from '../composition/cli.ts';

export interface Searched extends ConfigCandidate {
  readonly state: 'read' | 'absent' | 'passed over';
}

export interface LoadedConfig {
  /** `undefined`: there is none, and the defaults hold. */
  readonly file: ConfigFile | undefined;
  /** All places that count, in their order. */
  readonly searched: readonly Searched[];
  readonly result: ConfigResult;
}

/**
 * Reads the configuration from the first place that has one, and from the environment. What is wrong in it is in the
 * result.
 *
 * @param option what `--config` names
 * @throws {CommandFailure} `unreadable-file` where a named file is not there, or one that is there cannot be read
 */
export async function loadConfig(
  { env: environment, workingFolder }: Pick<Cli, 'env' | 'workingFolder'>,
  option?: string,
): Promise<LoadedConfig> {
  const candidates = configCandidates({ option, environment, workingFolder });
  const searched: Searched[] = [];
  let file: ConfigFile | undefined;
  for (const candidate of candidates) {
    const { path } = candidate;
    if (file) {
      searched.push({ ...candidate, state: existsSync(path) ? 'passed over' : 'absent' });
      continue;
    }
    const text = await readCandidate(candidate);
    if (text !== undefined) file = { path, name: shownPath(path, workingFolder), text };
    searched.push({ ...candidate, state: file ? 'read' : 'absent' });
  }
  return { file, searched, result: parseConfig({ file, environment, workingFolder }) };
}

/** Below the working folder as people write it, else whole. */
function shownPath(path: string, workingFolder: string): string {
  const below = relative(workingFolder, path);
  return below === '' || below.startsWith('..') ? path : below;
}

async function readCandidate({ path, isRequired }: ConfigCandidate): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = systemCodeOf(error);
    if (!isRequired && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw unreadable('The configuration', path, error);
  }
}
