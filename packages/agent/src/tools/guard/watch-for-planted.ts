import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync, symlinkSync, watch } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { foldersTo } from './guard.ts';
import { guardedInGit, isGitFolder, isInside } from './guarded-names.ts';
import { quietly, surveyOf } from './survey.ts';
import type { FSWatcher } from 'node:fs';
import type { Guard } from './guard.ts';
import type { Survey } from './survey.ts';

interface PlantWatch {
  /** Aborted as soon as something guarded appears in the workspace itself or in its `.git`. */
  readonly signal: AbortSignal;
  /** To be called when the command has ended. */
  readonly settle: () => Promise<Settled>;
}

export interface Settled {
  /**
   * What the command made under a guarded name, with the names that were given to it instead; all below the workspace.
   */
  readonly moved: ReadonlyMap<string, string>;
  /** The workspace is too large to look at all of it. */
  readonly isPartial: boolean;
}

/**
 * What is not there cannot be mounted. A command that makes something under a guarded name is told by the signal, and what
 * it made gets a name that means nothing to anybody.
 */
export function watchForPlanted(guard: Guard, before: Survey): PlantWatch {
  const planted = new PlantedThings(guard, before);
  const near = [...before.watched].filter(
    ([folder]) => folder === guard.root || before.gitFolders.has(folder),
  );
  const fresh = new Map<string, WatchedFolder>();
  const look = (): void => {
    for (const [folder, isGuarded] of near) planted.lookIn(folder, isGuarded);
    planted.restoreLinks();
    // A repository that the command makes is watched from now on; what was written before is seen by looking again.
    const folders = planted.freshRepositories().flatMap((folder) => [folder, join(folder, 'hooks')]);
    if (folders.map(watchFresh).includes(true)) look();
  };
  const watchFresh = (folder: string): boolean => {
    const number = folderNumber(folder);
    if (number === undefined || fresh.get(folder)?.number === number) return false;
    unwatch(folder);
    const onEvent = (): void => {
      // It may be gone, and another one be there with the same number.
      unwatch(folder);
      look();
    };
    fresh.set(folder, { number, watcher: watcherOf(folder, onEvent) });
    return true;
  };
  const unwatch = (folder: string): void => {
    fresh.get(folder)?.watcher?.close();
    fresh.delete(folder);
  };
  const watchers = near.map(([folder]) => watcherOf(folder, look));
  // A folder that comes and goes can take its watcher along and get the same number again: nobody tells of it then.
  const floor = setInterval(look, lookEveryMs).unref();
  return {
    signal: planted.abort.signal,
    settle: async () => {
      clearInterval(floor);
      look();
      for (const watcher of watchers) watcher?.close();
      for (const folder of fresh.keys()) unwatch(folder);
      return { moved: planted.moved, isPartial: await planted.compare() };
    },
  };
}

const lookEveryMs = 250;

interface WatchedFolder {
  readonly number: bigint;
  /** None where the system has no more of them: then all is found at the end. */
  readonly watcher: FSWatcher | undefined;
}

function folderNumber(folder: string): bigint | undefined {
  const stats = quietly(() => lstatSync(folder, { bigint: true }));
  return stats?.isDirectory() === true ? stats.ino : undefined;
}

class PlantedThings {
  readonly abort = new AbortController();
  readonly moved = new Map<string, string>();
  readonly #guard: Guard;
  readonly #before: Survey;

  constructor(guard: Guard, before: Survey) {
    this.#guard = guard;
    this.#before = before;
  }

  lookIn(folder: string, isGuarded: (name: string) => boolean): void {
    const names = quietly(() => readdirSync(folder)) ?? [];
    for (const path of names.filter(isGuarded).map((name) => join(folder, name))) {
      if (this.#before.present.has(path) || (this.#isFresh(path) && isHarmlessRepository(path))) continue;
      this.#setAside(path);
    }
  }

  /** New repositories in the workspace itself, harmful or not: what they become while one looks must not escape. */
  freshRepositories(): readonly string[] {
    const names = quietly(() => readdirSync(this.#guard.root)) ?? [];
    return names.map((name) => join(this.#guard.root, name)).filter((path) => this.#isFresh(path));
  }

  #isFresh(path: string): boolean {
    const isHere = isGitFolder(basename(path)) && dirname(path) === this.#guard.root;
    return isHere && !this.#before.gitFolders.has(path);
  }

  restoreLinks(): void {
    for (const [path, target] of this.#before.links) {
      if (quietly(() => readlinkSync(path)) === target) continue;
      this.#setAside(path);
      quietly(() => symlinkSync(target, path));
    }
  }

  /** Deeper down, where nobody watches. Returns whether there was too much to look at all of it. */
  async compare(): Promise<boolean> {
    const [before, guard] = [this.#before, this.#guard];
    const after = await surveyOf(guard);
    const isNew = (path: string): boolean =>
      !before.present.has(path) && !before.gitFolders.has(path) && !this.#wasUnseen(path);
    const harmless = [...after.gitFolders].filter((path) => isNew(path) && isHarmlessRepository(path));
    const found = [...after.gitFolders, ...after.present].filter(
      (path) => path !== guard.root && isNew(path),
    );
    for (const path of found) {
      if (!harmless.some((folder) => isInside(path, folder))) this.#setAside(path);
    }
    return before.isPartial || after.isPartial;
  }

  /** Whether it lies where nobody had looked: then it may be old. A folder that was not there is none of these. */
  #wasUnseen(path: string): boolean {
    const [before, guard] = [this.#before, this.#guard];
    return foldersTo(path, guard.root).some((folder) => before.unseen.has(folder));
  }

  #setAside(path: string): void {
    const aside = `${path}.refused-${randomBytes(4).toString('hex')}`;
    // At home each name with a dot is guarded, this one too.
    if (/\.refused-[0-9a-f]{8}$/.test(path)) return;
    if (quietly(() => (renameSync(path, aside), true)) !== true) return;
    this.moved.set(relative(this.#guard.root, path), relative(this.#guard.root, aside));
    this.abort.abort();
  }
}

function watcherOf(folder: string, look: () => void): FSWatcher | undefined {
  const watcher = quietly(() => watch(folder, { persistent: false }, look));
  watcher?.on('error', () => {});
  return watcher;
}

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
function isHarmlessRepository(folder: string): boolean {
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
