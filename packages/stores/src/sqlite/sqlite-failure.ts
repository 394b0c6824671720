import { closeSync, openSync, rmSync, statSync, truncateSync } from 'node:fs';
import { ContextError } from '@throughline/core';
import type { StoreFailure } from '@throughline/core/internal';

// The primary result codes of https://sqlite.org/rescode.html.
const reasonOf: ReadonlyMap<number, FileFailure> = new Map([
  [3, 'not-permitted'], // SQLITE_PERM
  [5, 'locked'], // SQLITE_BUSY
  [6, 'locked'], // SQLITE_LOCKED
  [8, 'not-permitted'], // SQLITE_READONLY
  [11, 'corrupt'], // SQLITE_CORRUPT
  [13, 'full'], // SQLITE_FULL
  [14, 'not-permitted'], // SQLITE_CANTOPEN
  [23, 'not-permitted'], // SQLITE_AUTH
  [26, 'not-a-store'], // SQLITE_NOTADB
]);

/** What may be wrong with a file. */
type FileFailure = Exclude<StoreFailure, 'unreachable' | 'no-connection-free' | 'server-too-old'>;

const sentenceOf: { readonly [Reason in FileFailure]: string } = {
  'no-such-folder': 'its folder does not exist',
  'not-permitted': 'it may not be opened or written',
  'not-a-store': 'it is no session store, or its beginning is damaged',
  corrupt: 'it is damaged',
  locked: 'another process holds it',
  full: 'there is no space left, or files may not grow any more (disk, quota, ulimit -f)',
  closed: 'it is closed',
  other: 'the database failed',
};

/** The result code of an error that SQLite threw; `undefined` for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode;
}

/** Whether another connection was in the way: the same again may succeed. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && ((code & 0xff) === 5 || (code & 0xff) === 6);
}

/** Whether a row breaks a constraint of its table. */
export function isRefusal(error: unknown): boolean {
  return ((sqliteCode(error) ?? 0) & 0xff) === 19;
}

/** A failure of the store, as the family of errors tells it. */
export function storeFailed(
  store: string,
  reason: FileFailure,
  cause?: unknown,
): ContextError<'store-failed'> {
  // That the disk failed is what SQLite says of a file that may not grow.
  const detail = cause instanceof Error && reason !== 'full' ? ` (${cause.message})` : '';
  const message = `Cannot use the store ${store}: ${sentenceOf[reason]}${detail}.${adviceOn(store, reason)}`;
  return new ContextError('store-failed', message, { store, reason }, { cause });
}

/** What a person can do: nothing was written to a file that is damaged, and most of it can be read as a rule. */
function adviceOn(store: string, reason: FileFailure): string {
  if (reason === 'not-a-store')
    return ' It was left as it is: name another file (store.file), or move it away.';
  if (reason !== 'corrupt') return '';
  return (
    ` Nothing was changed in it. Keep a copy of it, with ${store}-wal and ${store}-shm; ` +
    `"sqlite3 ${store} .recover | sqlite3 recovered.db" saves what can be read, for store.file to name. ` +
    'To begin with an empty one, move the three files away.'
  );
}

const ioError = 10;

/** What SQLite threw as an error of ours; anything else as it is. */
export function sqliteFailure(store: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const primary = code & 0xff;
  const reason = primary === ioError && !canGrow(store) ? 'full' : reasonOf.get(primary);
  return storeFailed(store, reason ?? 'other', error);
}

const spareBytes = 1024 * 1024;

/** Whether a file as large as the store, and a little more, may be made beside it. It takes no space: it is a hole. */
function canGrow(store: string): boolean {
  const probe = `${store}.probe-${process.pid}`;
  try {
    const largest = Math.max(
      ...[store, `${store}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    );
    closeSync(openSync(probe, 'w', 0o600));
    truncateSync(probe, largest + spareBytes);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'EFBIG' && code !== 'ENOSPC' && code !== 'EDQUOT';
  } finally {
    rmSync(probe, { force: true });
  }
}
