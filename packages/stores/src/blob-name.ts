import { ContextError } from '@throughline/core';

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
