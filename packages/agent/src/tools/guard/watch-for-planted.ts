import { readdirSync, readlinkSync, renameSync, symlinkSync, watch } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, relative } from 'node:path';
import { isHarmlessRepository } from './harmless-repository.ts';
import { isInside } from './is-inside.ts';
import { surveyOf } from './survey.ts';
import type { FSWatcher } from 'node:fs';
import type { Guard } from './guard.ts';
import type { Survey } from './survey.ts';

export interface PlantWatch {
  /** Aborted as soon as something guarded appears in the workspace itself or in its `.git`. */
  readonly signal: AbortSignal;
  /**
   * To be called when the command has ended. What it made under a guarded name, with the names that were given to it
   * instead; all below the workspace.
   */
  readonly settle: () => ReadonlyMap<string, string>;
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
  const look = (): void => {
    for (const [folder, isGuarded] of near) planted.lookIn(folder, isGuarded);
    planted.restoreLinks();
  };
  const watchers = near.flatMap(([folder]) => watcherOf(folder, look));
  return {
    signal: planted.abort.signal,
    settle: () => {
      for (const watcher of watchers) watcher.close();
      look();
      planted.compare();
      return planted.moved;
    },
  };
}

class PlantedThings {
  readonly abort = new AbortController();
  readonly moved = new Map<string, string>();
  private readonly guard: Guard;
  private readonly before: Survey;

  constructor(guard: Guard, before: Survey) {
    this.guard = guard;
    this.before = before;
  }

  lookIn(folder: string, isGuarded: (name: string) => boolean): void {
    const names = quietly(() => readdirSync(folder)) ?? [];
    for (const path of names.filter(isGuarded).map((name) => join(folder, name))) {
      if (!this.before.present.has(path)) this.setAside(path);
    }
  }

  restoreLinks(): void {
    for (const [path, target] of this.before.links) {
      if (quietly(() => readlinkSync(path)) === target) continue;
      this.setAside(path);
      quietly(() => symlinkSync(target, path));
    }
  }

  /** Deeper down, where nobody watches. With a part of the picture what is old could look new. */
  compare(): void {
    const { before, guard } = this;
    if (before.isPartial) return;
    const after = surveyOf(guard);
    const isNew = (path: string): boolean => !before.present.has(path) && !before.gitFolders.has(path);
    const harmless = [...after.gitFolders].filter((path) => isNew(path) && isHarmlessRepository(path));
    const found = [...after.gitFolders, ...after.present].filter(
      (path) => path !== guard.root && isNew(path),
    );
    for (const path of found) {
      if (!harmless.some((folder) => isInside(path, folder))) this.setAside(path);
    }
  }

  private setAside(path: string): void {
    const aside = `${path}.refused-${randomBytes(4).toString('hex')}`;
    // At home each name with a dot is guarded, this one too.
    if (/\.refused-[0-9a-f]{8}$/.test(path)) return;
    if (quietly(() => (renameSync(path, aside), true)) !== true) return;
    this.moved.set(relative(this.guard.root, path), relative(this.guard.root, aside));
    this.abort.abort();
  }
}

/** None where the system has no more of them: then all is found at the end. */
function watcherOf(folder: string, look: () => void): readonly FSWatcher[] {
  const watcher = quietly(() => watch(folder, { persistent: false }, look));
  watcher?.on('error', () => {});
  return watcher ? [watcher] : [];
}

function quietly<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
