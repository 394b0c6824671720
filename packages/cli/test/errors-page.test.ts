import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import type { ErrorCode } from '@throughline/core';

// A new code does not compile without a row here.
const codes = {
  'invalid-option': true,
  'bad-wire-format': true,
  'bad-state': true,
  'cannot-fit': true,
  'not-loaded': true,
  'undo-refused': true,
  'driver-failed': true,
  'unreadable-file': true,
  'not-found': true,
  'already-exists': true,
  'lease-lost': true,
  'quota-exceeded': true,
  'store-failed': true,
  'store-version': true,
  cancelled: true,
} as const satisfies Record<ErrorCode, true>;

describe('docs/errors.md', () => {
  it('explains every code under a heading of its own, and no other', () => {
    const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const [ofEngine = ''] = text.split('\n# Codes of the HTTP API\n');
    const headings = [...ofEngine.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(Object.keys(codes));
  });
});
