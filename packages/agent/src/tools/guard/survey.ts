import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { lower } from './guard.ts';
import { guardedInGit, isGitFolder, isGuardedAtHome, isGuardedName, isInside } from './guarded-names.ts';
import type { Dirent } from 'node:fs';
import type { Guard } from './guard.ts';

/** What is guarded in a workspace at one moment. */
export interface Survey {
  /** Real paths that nothing may change, links excepted. */
  readonly guarded: ReadonlySet<string>;
  /** Guarded names that are links, with what they say. */
  readonly links: ReadonlyMap<string, string>;
  /** Folders where a guarded name must not appear, with what tells one. */
  readonly watched: ReadonlyMap<string, (name: string) => boolean>;
  /** Repositories' own folders: written with every commit, and never moved. */
  readonly gitFolders: ReadonlySet<string>;
  /** Every path with a guarded name, also those of secrets. */
  readonly present: ReadonlySet<string>;
  /** Folders that were not looked in: what is found there later may have been there before. */
  readonly unseen: ReadonlySet<string>;
  /** There was more than is looked at. */
  readonly isPartial: boolean;
}

/** Each command is looked around before and after it: with so many that takes most of a second each time. */
export const maxEntries = 200_000;
/** A disk may be slow: what else is to be done gets its turn. */
const turnMs = 20;
// Each is a mount.
const maxGuarded = 400;
// What other people's packages and builds are made of: nobody starts an editor or a shell there by accident.
const skipped: ReadonlySet<string> = new Set([
  'node_modules',
  '.cache',
  '.venv',
  'venv',
  'target',
  '__pycache__',
]);

/** Looks for guarded names in the workspace, level by level. Links are not followed. */
export async function surveyOf(guard: Guard, mostEntries = maxEntries): Promise<Survey> {
  const survey = new Surveying(guard, mostEntries);
  await survey.run();
  return survey;
}

class Surveying implements Survey {
  readonly guarded = new Set<string>();
  readonly links = new Map<string, string>();
  readonly watched = new Map<string, (name: string) => boolean>();
  readonly gitFolders = new Set<string>();
  readonly present = new Set<string>();
  readonly unseen = new Set<string>();
  readonly #guard: Guard;
  readonly #mostEntries: number;
  readonly #secrets: ReadonlySet<string>;
  #entries = 0;

  constructor(guard: Guard, mostEntries: number) {
    this.#guard = guard;
    this.#mostEntries = mostEntries;
    this.#secrets = secretsIn(guard);
  }

  get isPartial(): boolean {
    return this.#entries > this.#mostEntries;
  }

  async run(): Promise<void> {
    for (const path of this.#guard.guarded) this.guarded.add(path);
    const folders = [this.#guard.root];
    let begunMs = performance.now();
    // Grows while it is walked.
    for (const folder of folders) {
      if (this.isPartial) this.unseen.add(folder);
      else folders.push(...this.#visit(folder));
      if (performance.now() - begunMs < turnMs) continue;
      await setImmediate();
      begunMs = performance.now();
    }
  }

  /** The folders in it that are to be visited. */
  #visit(folder: string): readonly string[] {
    const below: string[] = [];
    const entries = entriesOf(folder);
    const names = new Set(entries.map(({ name }) => name));
    this.#entries += entries.length;
    const isGuarded = folder === this.#guard.home ? isGuardedHere : isGuardedName;
    this.watched.set(folder, isGuarded);
    if (['HEAD', 'objects', 'refs'].every((name) => names.has(name))) this.#addGitFolder(folder);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (isGuarded(entry.name)) this.present.add(path);
      const isFolder = entry.isDirectory();
      if (this.#secrets.size > 0 && this.#secrets.has(lower(path))) continue;
      if (isGitFolder(entry.name) && isFolder) this.#addGitFolder(path);
      else if (isGuarded(entry.name)) this.#addGuarded(path, entry.isSymbolicLink());
      else if (isFolder && skipped.has(entry.name)) this.unseen.add(path);
      else if (isFolder) below.push(path);
    }
    return below;
  }

  #addGuarded(path: string, isLink: boolean): void {
    if (this.guarded.size >= maxGuarded) return;
    if (!isLink) return void this.guarded.add(path);
    const target = quietly(() => readlinkSync(path));
    const real = quietly(() => realpathSync(path));
    if (target !== undefined) this.links.set(path, target);
    if (real !== undefined && real !== this.#guard.root && isInside(real, this.#guard.root))
      this.guarded.add(real);
  }

  #addGitFolder(folder: string): void {
    this.gitFolders.add(folder);
    const isPart = (name: string): boolean => guardedInGit.includes(name.toLowerCase());
    const isWorkTree = this.watched.get(folder);
    this.watched.set(folder, (name) => isPart(name) || isWorkTree?.(name) === true);
    for (const entry of entriesOf(folder)) {
      const { name } = entry;
      if (!isPart(name)) continue;
      this.present.add(join(folder, name));
      this.#addGuarded(join(folder, name), entry.isSymbolicLink());
    }
    const workTree = isGitFolder(basename(folder)) ? dirname(folder) : folder;
    for (const path of namedIn(join(folder, 'config'), workTree)) {
      const stats = quietly(() => lstatSync(path));
      const isOurs = path !== this.#guard.root && isInside(path, this.#guard.root);
      if (!stats || !isOurs) continue;
      this.present.add(path);
      this.#addGuarded(path, stats.isSymbolicLink());
    }
  }
}

/** Those that a walk from the root comes by. */
function secretsIn({ root, secrets }: Guard): ReadonlySet<string> {
  return new Set(secrets.map(lower).filter((path) => path !== lower(root) && isInside(path, lower(root))));
}

const isGuardedHere = (name: string): boolean => isGuardedName(name) || isGuardedAtHome(name);

/** Places that a git configuration takes hooks and further configuration from. */
function namedIn(config: string, workTree: string): readonly string[] {
  const text = quietly(() => readFileSync(config, 'utf8')) ?? '';
  const values = [...text.matchAll(/^\s*(hookspath|path|attributesfile|fsmonitor)\s*=\s*"?([^"\n#;]+)/gim)];
  return values.flatMap(([, key = '', value = '']) => {
    const path = value.trim();
    if (path === '' || path.startsWith('~')) return [];
    if (isAbsolute(path)) return [path];
    // A path to include begins at the file that includes it, all others at the work tree.
    return [resolve(key.toLowerCase() === 'path' ? dirname(config) : workTree, path)];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  return quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** What cannot be looked at, or changed, is not there. */
export function quietly<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
