import { describe, expect, it } from 'vitest';
import { runError } from './open-run.ts';
import type { RunOutcome } from '@throughline/protocol/types';

describe('runError', () => {
  it.each<[RunOutcome, string | undefined]>([
    [{ type: 'completed', finish: 'stop' }, undefined],
    [{ type: 'cancelled' }, undefined],
    [{ type: 'limit', limit: 'steps', isConcluded: true }, undefined],
    [{ type: 'failed', failure: { kind: 'auth', message: 'no key', recoverable: false } }, 'auth'],
    [{ type: 'cannot-fit', usableTokens: 1, requestTokens: 2, parts: [], canCompact: false }, 'cannot-fit'],
    [{ type: 'lost' }, 'lost'],
    [{ type: 'broken', code: 'store-failed', message: 'disk full' }, 'store-failed'],
  ])('of %j is %s', (outcome, type) => {
    expect(runError(outcome)).toBe(type);
  });
});
