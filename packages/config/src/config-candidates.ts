import { join, resolve } from 'node:path';
import { fileVariable } from './environment/variables.ts';
import { userFolder } from './environment/user-folders.ts';
import type { Environment } from './environment/variables.ts';

export interface ConfigCandidate {
  /** Absolute. */
  readonly path: string;
  /** Why it is looked at: `named`, `THROUGHLINE_CONFIG`, `working folder`, `user`. */
  readonly reason: string;
  /** Somebody named it: if it is not there, that is an error. */
  readonly isRequired: boolean;
}

export interface ConfigSearch {
  /** What `--config` names. */
  readonly option?: string | undefined;
  readonly environment: Environment;
  /** Absolute. */
  readonly workingFolder: string;
}

/** Files that may hold the configuration, in the order in which they count: the first that is there is the only one read. */
export function configCandidates({ option, environment, workingFolder }: ConfigSearch): ConfigCandidate[] {
  const named = (path: string, reason: string): ConfigCandidate[] => [
    { path: resolve(workingFolder, path), reason, isRequired: true },
  ];
  if (option !== undefined) return named(option, 'named');
  const variable = environment[fileVariable];
  if (variable !== undefined && variable !== '') return named(variable, fileVariable);
  const here = ['throughline.yaml', 'throughline.yml', join('.throughline', 'config.yaml')];
  const user = userFolder('config', environment);
  return [
    ...here.map((name) => ({
      path: join(workingFolder, name),
      reason: 'working folder',
      isRequired: false,
    })),
    ...(user === undefined ? [] : [{ path: join(user, 'config.yaml'), reason: 'user', isRequired: false }]),
  ];
}
