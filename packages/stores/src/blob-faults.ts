import { ContextError } from '@throughline/core';
import type { StoreFailure } from '@throughline/core/internal';

/**
 * A name that is no hash reaches nothing at all.
 *
 * @throws {ContextError} `invalid-option`
 */
export function requireHash(hash: string): void {
  if (/^[0-9a-f]{64}$/.test(hash)) return;
  throw new ContextError('invalid-option', 'A blob is named by its SHA-256.', {
    option: 'hash',
    expected: '64 lower-case hexadecimal digits',
    received: hash,
  });
}

/** @param place the folder or address that they lie in */
export function blobsFailed(
  place: string,
  reason: StoreFailure,
  text: string,
  cause?: unknown,
): ContextError<'store-failed'> {
  const message = `Cannot use the blobs in ${place}: ${text}.`;
  return new ContextError('store-failed', message, { store: place, reason }, { cause });
}
