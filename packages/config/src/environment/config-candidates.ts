import { isAbsolute, join, resolve } from 'node:path';
import { fileVariable } from './variables.ts';
import type { Environment } from './variables.ts';

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

/** The home folder, or `undefined` where nobody says. */
export function homeOf({ HOME, USERPROFILE }: Environment): string | undefined {
  return [HOME, USERPROFILE].find(isSaid);
}

/** Where a user's files of a kind are: by the XDG base directories, else below the home folder. */
export function userFolder(kind: 'config' | 'data', environment: Environment): string | undefined {
  const { variable, below } = folders[kind];
  const said = environment[variable];
  if (isSaid(said) && isAbsolute(said)) return join(said, 'throughline');
  const home = homeOf(environment);
  return home === undefined ? undefined : join(home, ...below, 'throughline');
}

const folders = {
  config: { variable: 'XDG_CONFIG_HOME', below: ['.config'] },
  data: { variable: 'XDG_DATA_HOME', below: ['.local', 'share'] },
} as const;

function isSaid(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
