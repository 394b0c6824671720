import { expect, it } from 'vitest';
import { ContextError } from '@throughline/core/settings';
import { endOf, errorOf } from './turn-end.ts';
import type { RunOutcome } from '@throughline/agent';

it.each<readonly [string, RunOutcome, object]>([
  ['ends', { type: 'completed', finish: 'stop' }, { stopReason: 'end_turn' }],
  ['is cut', { type: 'completed', finish: 'length' }, { stopReason: 'max_tokens' }],
  ['is cut by the window', { type: 'completed', finish: 'window-full' }, { stopReason: 'max_tokens' }],
  // The editor would take back what stays in the history.
  [
    'is refused',
    { type: 'completed', finish: 'refusal' },
    { stopReason: 'end_turn', notice: { severity: 'warning' } },
  ],
  ['is cancelled', { type: 'cancelled' }, { stopReason: 'cancelled' }],
  [
    'reaches its limit',
    { type: 'limit', limit: 'steps', isConcluded: true },
    { stopReason: 'max_turn_requests' },
  ],
  [
    'fails',
    { type: 'failed', failure: { kind: 'auth', message: 'bad key', recoverable: false } },
    { type: 'failed', code: 'auth', message: 'The model failed: bad key' },
  ],
  [
    'cannot fit',
    { type: 'cannot-fit', usableTokens: 10, requestTokens: 20, parts: [], canCompact: true },
    { type: 'failed', code: 'cannot-fit', message: expect.stringContaining('/compact makes room') },
  ],
  ['is lost', { type: 'lost' }, { type: 'failed', code: 'lease-lost' }],
  [
    'breaks',
    { type: 'broken', code: 'store-failed', message: 'disk full' },
    { code: 'store-failed', message: 'disk full' },
  ],
])('a turn that %s is told so', (_, outcome, end) => {
  expect(endOf(outcome)).toMatchObject(end);
});

it('an error keeps its sentence and its code', () => {
  const details = { kind: 'session', id: 'x', known: [] } as const;
  const missing = new ContextError('not-found', 'There is no session x.', details);
  expect(errorOf(missing)).toMatchObject({ code: -32_002, message: 'There is no session x.' });
  const failure = Object.assign(new Error('disk full'), { code: 'ENOSPC' });
  expect(errorOf(failure)).toMatchObject({ code: -32_603, message: 'disk full', data: { code: 'ENOSPC' } });
});
