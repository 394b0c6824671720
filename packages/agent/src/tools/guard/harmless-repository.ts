import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardedInGit } from './guarded-names.ts';

const harmless: Readonly<Record<string, readonly string[]>> = {
  core: [
    'repositoryformatversion',
    'filemode',
    'bare',
    'logallrefupdates',
    'ignorecase',
    'precomposeunicode',
    'symlinks',
  ],
  user: ['name', 'email'],
  remote: ['url', 'fetch'],
  branch: ['remote', 'merge'],
};

/** Whether a `.git` is as `git init` and `git clone` make it: no hooks of its own, and no setting that runs anything. */
export function isHarmlessRepository(folder: string): boolean {
  try {
    const parts = readdirSync(folder).filter((name) => guardedInGit.includes(name.toLowerCase()));
    if (parts.some((name) => name !== 'config' && name !== 'hooks')) return false;
    // What a link leads to may become something else.
    if (['.', ...parts].some((name) => lstatSync(join(folder, name)).isSymbolicLink())) return false;
    const hooks = parts.includes('hooks') ? readdirSync(join(folder, 'hooks')) : [];
    if (hooks.some((name) => !name.endsWith('.sample'))) return false;
    return !parts.includes('config') || isHarmless(readFileSync(join(folder, 'config'), 'utf8'));
  } catch {
    return false;
  }
}

function isHarmless(config: string): boolean {
  let keys: readonly string[] = [];
  return config.split('\n').every((line) => {
    const section = /^\[(\w+)(?: "[^"\\]*")?\]\s*$/.exec(line)?.[1]?.toLowerCase();
    if (section !== undefined) {
      keys = Object.hasOwn(harmless, section) ? (harmless[section] ?? []) : [];
      return keys.length > 0;
    }
    const key = /^\s*(\w+)\s*=[^\\]*$/.exec(line)?.[1]?.toLowerCase();
    return line.trim() === '' || (key !== undefined && keys.includes(key));
  });
}
