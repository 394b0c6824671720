import { expect, it } from 'vitest';
import { secretsOf } from './secrets-of.ts';

it('knows the key, and what headers hold, the longest first', () => {
  const headers = { authorization: 'Bearer abcdefgh1', cookie: 'session=0123456789', 'x-team': 'blue' };
  expect(secretsOf({ apiKey: 'sk', headers })).toEqual([
    'session=0123456789',
    'Bearer abcdefgh1',
    '0123456789',
    'abcdefgh1',
    'sk',
  ]);
  expect(secretsOf({})).toEqual([]);
});
