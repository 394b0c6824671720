import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ContextError } from '@throughline/core';
import { checkOptions, optionalFlag, texts } from '@throughline/core/internal';
import { createGuard, guardedAround, secretAround } from '../guard/guard.ts';
import { isInside, isPrivateName } from '../guard/guarded-names.ts';
import { openFolder } from './folder.ts';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { OptionChecks } from '@throughline/core/internal';
import type { Guard, GuardOptions } from '../guard/guard.ts';
import type { Folder } from './folder.ts';

/** A place in the workspace: an open folder and a name in it that is no link. */
export interface WorkspacePlace extends AsyncDisposable {
  readonly folder: Folder;
  /** `.` for the root itself. */
  readonly name: string;
  /** Reaches it through the open folder. */
  readonly path: string;
  /** As people write it: relative to the root. */
  readonly shown: string;
  /** What is there; `undefined` where nothing is. */
  readonly stats: Stats | undefined;
  /** Opens what is there for reading. It is a regular file, or it throws. */
  openFile(): Promise<FileHandle>;
}

/** The folder tools work in, and the only way from a model's path to a file. */
export interface Workspace {
  /** Real path. */
  readonly root: string;
  /** What tools keep their hands off. */
  readonly guard: Guard;
  /**
   * Goes from the root to `path` one name at a time, each looked up in the folder opened before, links followed by
   * hand. Nothing outside the root is ever opened, whatever is swapped meanwhile.
   *
   * @throws {ContextError} `unreadable-file` for a path that leaves the root, holds secrets or cannot be followed.
   */
  locate(path: string, options?: { readonly createFolders?: boolean }): Promise<WorkspacePlace>;
  /** A key that is the same for all spellings of one path. Never throws. */
  keyOf(path: string): Promise<string>;
  /** The part of a path for which writing there is a question of its own, links followed. Never throws. */
  guardedPartOf(path: string): Promise<string | undefined>;
  /** The file, where reading it is a question of its own, links followed. Never throws. */
  privatePartOf(path: string): Promise<string | undefined>;
}

interface WorkspaceOptions extends GuardOptions {
  /** @default true where the system has `/proc` */
  readonly byHandle?: boolean;
}

const checks: OptionChecks<WorkspaceOptions> = {
  secrets: texts,
  guarded: texts,
  privateFiles: texts,
  byHandle: optionalFlag,
};

const maxLinks = 40;
const maxNames = 256;
const maxPathChars = 4_096;

/** @throws when `root` is no folder; {@link ContextError} `invalid-option` for an option that is misspelt. */
export async function openWorkspace(root: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  checkOptions('', options, checks);
  const realRoot = await realpath(root);
  const roots = [realRoot, resolve(root)];
  const guard = createGuard(realRoot, options);
  await (await openFolder(realRoot, options.byHandle))[Symbol.asyncDispose]();
  const locate: Workspace['locate'] = async (path, { createFolders = false } = {}) => {
    const walk = new Walk(path, { roots, guard, createFolders });
    return walk.run(await openFolder(realRoot, options.byHandle));
  };
  return {
    root: realRoot,
    guard,
    locate,
    keyOf: async (path) => plain(await realPathOf(realRoot, path, locate)),
    guardedPartOf: async (path) => guardedAround(guard, await realPathOf(realRoot, path, locate)),
    privatePartOf: (path) => privatePart(guard, path, locate),
  };
}

/** A name that leads to it counts as well as its own. A folder is none: `.env` may be one of Python. */
async function privatePart(
  { privateFiles }: Guard,
  path: string,
  locate: Workspace['locate'],
): Promise<string | undefined> {
  try {
    await using place = await locate(path);
    const isPrivate = [basename(path), place.name].some((name) => isPrivateName(name, privateFiles));
    return isPrivate && place.stats?.isFile() === true ? place.shown : undefined;
  } catch {
    return undefined; // nothing that could be read
  }
}

/** Lower case and composed, because some file systems ignore both: one key too many in common does no harm. */
function plain(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** The real path of the longest part that exists, with the rest behind it. */
async function realPathOf(root: string, path: string, locate: Workspace['locate']): Promise<string> {
  let head = resolve(root, path.slice(0, maxPathChars).replaceAll('\0', ''));
  const rest: string[] = [];
  for (; isInside(head, root); head = dirname(head)) {
    try {
      await using place = await locate(head);
      return join(place.folder.path, place.name, ...rest);
    } catch {
      rest.unshift(basename(head));
    }
  }
  return join(head, ...rest);
}

interface WalkOptions {
  /** The real root, and the root as it was named. */
  readonly roots: readonly string[];
  readonly guard: Guard;
  readonly createFolders: boolean;
}

class Walk {
  readonly #asked: string;
  readonly #roots: readonly string[];
  readonly #guard: Guard;
  readonly #createFolders: boolean;
  readonly #folders: Folder[] = [];
  #links = 0;
  #names: string[];

  constructor(asked: string, { roots, guard, createFolders }: WalkOptions) {
    this.#asked = asked;
    this.#roots = roots;
    this.#guard = guard;
    this.#createFolders = createFolders;
    this.#names = namesOf(asked, roots);
  }

  /** Takes over `root`: it is closed with the place, or here when there is none. */
  async run(root: Folder): Promise<WorkspacePlace> {
    this.#folders.push(root);
    try {
      for (;;) {
        const name = this.#names.shift();
        if (name === undefined) return await this.#placeOf('.');
        if (name === '..') await this.#leave();
        else if (this.#names.length > 0) await this.#enter(name);
        else if (!(await this.#followed(name))) return await this.#placeOf(name);
      }
    } catch (error) {
      await this.#close();
      throw asRefusal(error, this.#asked);
    }
  }

  get #here(): Folder {
    const folder = this.#folders.at(-1);
    if (!folder) throw pathRefused(this.#asked, 'leads outside the workspace');
    return folder;
  }

  async #leave(): Promise<void> {
    if (this.#folders.length === 1) throw pathRefused(this.#asked, 'leads outside the workspace');
    await this.#folders.pop()?.[Symbol.asyncDispose]();
  }

  async #enter(name: string): Promise<void> {
    this.#refuseSecret(name);
    if (this.#folders.length > maxNames) throw pathRefused(this.#asked, 'is nested too deeply');
    try {
      this.#folders.push(await this.#here.open(name, { create: this.#createFolders }));
    } catch (error) {
      if (!isNoFolder(error) || !(await this.#followed(name))) throw error;
    }
  }

  /** Puts the target of a link in front of what is left to walk; `false` when `name` is none. */
  async #followed(name: string): Promise<boolean> {
    const target = await readlink(join(this.#here.base, name)).catch(() => undefined);
    if (target === undefined) return false;
    this.#links += 1;
    if (this.#links > maxLinks) throw pathRefused(this.#asked, 'goes round in circles of links');
    if (isAbsolute(target)) {
      while (this.#folders.length > 1) await this.#leave();
      this.#names = [...namesOf(target, this.#roots, this.#asked), ...this.#names];
    } else {
      this.#names = [...split(target), ...this.#names];
    }
    return true;
  }

  async #placeOf(name: string): Promise<WorkspacePlace> {
    const [folder, asked] = [this.#here, this.#asked];
    // `join` would take the `.` away, and the handle's own path is a link.
    const path = `${folder.base}/${name}`;
    this.#refuseSecret(name);
    const stats = await lstat(path).catch(ignoreMissing);
    if (stats?.isSymbolicLink() === true) throw pathRefused(asked, 'changed while it was opened');
    return {
      folder,
      name,
      path,
      shown: relative(this.#roots[0] ?? '', join(folder.path, name)) || '.',
      stats,
      openFile: () => openRegular(path, asked, stats),
      [Symbol.asyncDispose]: () => this.#close(),
    };
  }

  #refuseSecret(name: string): void {
    const real = join(this.#here.path, name);
    if (secretAround(this.#guard, real) === undefined) return;
    throw pathRefused(this.#asked, 'holds secrets, which are kept out of sight');
  }

  async #close(): Promise<void> {
    await Promise.all(this.#folders.splice(0).map((folder) => folder[Symbol.asyncDispose]()));
  }
}

/** The names to walk from the root. Absolute paths are taken where they lie in the root. */
function namesOf(path: string, roots: readonly string[], asked: string = path): string[] {
  if (path === '') throw pathRefused(asked, 'is empty');
  if (path.includes('\0')) throw pathRefused(asked, 'holds a NUL character');
  if (path.includes('\\')) throw pathRefused(asked, 'holds a backslash; write "/" between names');
  if (path.length > maxPathChars) throw pathRefused(asked, 'is too long');
  if (!isAbsolute(path)) return split(path);
  const root = roots.find((one) => isInside(path, one));
  if (root === undefined) throw pathRefused(asked, 'lies outside the workspace');
  return split(path.slice(root.length));
}

function split(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

async function openRegular(path: string, asked: string, stats: Stats | undefined): Promise<FileHandle> {
  if (!stats) throw pathRefused(asked, 'does not exist');
  if (stats.isDirectory()) throw pathRefused(asked, 'is a folder; use glob to list it');
  // Not blocking: a pipe without a writer would never open.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error: unknown) => {
    throw asRefusal(error, asked);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw pathRefused(asked, 'is no regular file');
}

const noFolder: ReadonlySet<unknown> = new Set(['ENOTDIR', 'ELOOP', 'EMLINK']);

function isNoFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && noFolder.has(error.code);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'goes through something that is no folder',
  EEXIST: 'exists already',
  EISDIR: 'is a folder',
  ELOOP: 'changed while it was opened',
  EACCES: 'may not be opened: permission denied',
  EPERM: 'may not be changed: not permitted',
  EROFS: 'lies on a file system that is read-only',
  ENOSPC: 'does not fit: the disk is full',
  ENAMETOOLONG: 'is too long',
  ENXIO: 'is no regular file',
};

/** The reason without the inner path, which means nothing to the model. */
export function asRefusal(error: unknown, path: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = reasons[code];
  if (reason !== undefined) return pathRefused(path, reason);
  return 'syscall' in error ? pathRefused(path, `cannot be used: ${code}`) : error;
}

/** An error about a path as the model wrote it; the message is the result the model sees. */
export function pathRefused(path: string, reason: string): ContextError {
  const shown = path.length > 300 ? `${path.slice(0, 300).toWellFormed()}…` : path;
  return new ContextError('unreadable-file', `${JSON.stringify(shown)} ${reason}`, { file: shown, reason });
}
