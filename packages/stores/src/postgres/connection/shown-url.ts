import { ContextError } from '@throughline/core';

/**
 * The address without user, password and settings.
 *
 * @throws {ContextError} `invalid-option`
 */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    const expected = 'postgres://user:password@host:port/database';
    throw new ContextError('invalid-option', `url must be an address like ${expected}.`, {
      option: 'url',
      expected,
      received: '(not shown: it may hold a password)',
    });
  }
  return `postgres://${parsed.host}${parsed.pathname}`;
}
