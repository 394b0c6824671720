import { existsSync, realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { isGuardedAtHome, isGuardedName } from './guarded-names.ts';
import { defaultPrivateFiles } from './private-names.ts';
import { isInside } from './is-inside.ts';
import { homeOf, placeOf, realPlaces, secretPlaces } from './secret-places.ts';

/** What tools keep their hands off, in the workspace and around it. All paths are real. */
export interface Guard {
  readonly root: string;
  /** Neither read nor written. */
  readonly secrets: readonly string[];
  /** Guarded like the known names, because somebody outside runs or obeys them. */
  readonly guarded: readonly string[];
  readonly home: string;
  /** Patterns of names: such a file is read by file tools only after somebody was asked. */
  readonly privateFiles: readonly string[];
}

export interface GuardOptions {
  /** Kept out of sight beside the known places of credentials. @default none */
  readonly secrets?: readonly string[];
  /**
   * Names of files that file tools read only after somebody was asked; `*` stands for anything. Commands read them all the
   * same: programs of the project need them. @default ['.env', '.env.*']
   */
  readonly privateFiles?: readonly string[];
  /** Files in the workspace that are run or obeyed outside the sandbox, beside those known by name. @default none */
  readonly guarded?: readonly string[];
}

/** The guard of a workspace by its real path. A secret that the workspace lies in, or is, does not hide the workspace. */
export function createGuard(root: string, options: GuardOptions = {}): Guard {
  const { secrets = [], guarded = [], privateFiles = defaultPrivateFiles } = options;
  const home = homeOf();
  // Below `/proc` are the secrets of all processes.
  const named = root === '/' ? [...secrets, '/proc'] : secrets;
  return {
    root,
    secrets: [...new Set([...secretPlaces(), ...named.map(placeOf)])],
    guarded: realPlaces(guarded).filter((path) => path !== root && isInside(path, root)),
    privateFiles,
    home: existsSync(home) ? realpathSync(home) : home,
  };
}

/** The secret that a real path in the workspace is, or lies in. */
export function secretAround({ root, secrets }: Guard, path: string): string | undefined {
  return secrets.find((secret) => isInside(lower(path), lower(secret)) && !isInside(root, secret));
}

/** The path below the workspace for which writing to a real path is a question of its own. */
export function guardedAround({ root, guarded, home }: Guard, path: string): string | undefined {
  const own = guarded.find((one) => isInside(path, one));
  if (own !== undefined) return relative(root, own);
  const names = relative(root, path).split('/');
  const isStart = (name: string, at: number): boolean =>
    isGuardedName(name) || (isAt(home, [root, ...names.slice(0, at)].join('/')) && isGuardedAtHome(name));
  const at = names.findIndex(isStart);
  return at === -1 ? undefined : names.slice(0, at + 1).join('/');
}

/** Some file systems know no case. */
export const lower = (path: string): string => path.toLowerCase();

function isAt(home: string, folder: string): boolean {
  return folder.replace(/\/$/, '') === home;
}

/** The folders between the workspace and a path in it, outermost first. */
export function foldersTo(path: string, root: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isInside(folder, root); folder = dirname(folder))
    folders.unshift(folder);
  return folders;
}
