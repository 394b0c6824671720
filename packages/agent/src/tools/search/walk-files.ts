import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

interface WalkOptions {
  /** Where to begin: the path of a folder, or one through an open handle. */
  readonly base: string;
  /** Names below are looked up through open folders instead of by path. */
  readonly byHandle: boolean;
  /** Folders that are not entered. */
  readonly skipped: ReadonlySet<string>;
  /** Paths below the base that are passed over, folders or files. */
  readonly secrets: ReadonlySet<string>;
  readonly maxEntries: number;
}

export interface FoundFile {
  /** Relative to the base, with `/`. */
  readonly path: string;
  /** Opens it through the folder it was found in; good until the next file is asked for. */
  readonly openPath: string;
}

export interface WalkCount {
  entries: number;
  isStopped: boolean;
}

const maxDepth = 128;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** All regular files below a folder, folder by folder in the order of their names. Links are never followed. */
export function* walkFiles(options: WalkOptions, count: WalkCount): Generator<FoundFile> {
  yield* walkFolder(options, count, { base: options.base, shown: '', depth: 0 });
}

interface At {
  readonly base: string;
  readonly shown: string;
  readonly depth: number;
}

function* walkFolder(options: WalkOptions, count: WalkCount, at: At): Generator<FoundFile> {
  for (const entry of entriesOf(at.base)) {
    count.entries += 1;
    if (count.entries > options.maxEntries || at.depth > maxDepth) {
      count.isStopped = true;
      return;
    }
    const shown = at.shown === '' ? entry.name : `${at.shown}/${entry.name}`;
    const path = join(at.base, entry.name);
    if (options.secrets.has(shown)) continue;
    if (entry.isFile()) yield { path: shown, openPath: path };
    else if (entry.isDirectory() && !options.skipped.has(entry.name)) {
      yield* enter(options, count, { base: path, shown, depth: at.depth + 1 });
    }
  }
}

function* enter(options: WalkOptions, count: WalkCount, at: At): Generator<FoundFile> {
  let handle: number;
  try {
    handle = openSync(at.base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch {
    return; // gone, a link by now, or not ours to read
  }
  try {
    yield* walkFolder(options, count, {
      ...at,
      base: options.byHandle ? `/proc/self/fd/${handle}` : at.base,
    });
  } finally {
    closeSync(handle);
  }
}

function entriesOf(folder: string): { name: string; isFile(): boolean; isDirectory(): boolean }[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
  } catch {
    return [];
  }
}

/** Opens a found file for reading; `undefined` when it is no regular file by now. */
export function openFound({
  openPath,
}: FoundFile): { readonly handle: number; readonly sizeBytes: number } | undefined {
  let handle: number;
  try {
    handle = openSync(openPath, O_RDONLY | O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  const stats = fstatSync(handle);
  if (stats.isFile()) return { handle, sizeBytes: stats.size };
  closeSync(handle);
  return undefined;
}
