import { isAbsolute, join } from 'node:path';
import type { Environment } from './variables.ts';

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
