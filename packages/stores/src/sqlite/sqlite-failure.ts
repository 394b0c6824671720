import { ContextError } from '@throughline/core';
import type { StoreFailure } from '@throughline/core';

// The primary result codes of https://sqlite.org/rescode.html.
const reasonOf: ReadonlyMap<number, StoreFailure> = new Map([
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

const sentenceOf: { readonly [Reason in StoreFailure]: string } = {
  'no-such-folder': 'its folder does not exist',
  'not-permitted': 'it may not be opened or written',
  'not-a-store': 'it is no session store',
  corrupt: 'it is damaged',
  locked: 'another process holds it',
  full: 'there is no space left',
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
  reason: StoreFailure,
  cause?: unknown,
): ContextError<'store-failed'> {
  const detail = cause instanceof Error ? ` (${cause.message})` : '';
  const message = `Cannot use the store ${store}: ${sentenceOf[reason]}${detail}.`;
  return new ContextError('store-failed', message, { store, reason }, { cause });
}

/** What SQLite threw as an error of ours; anything else as it is. */
export function sqliteFailure(store: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  return storeFailed(store, reasonOf.get(code & 0xff) ?? 'other', error);
}
