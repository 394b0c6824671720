import { expect, it } from 'vitest';
import { exchangeStrings } from './json-value.ts';

it('exchanges strings that stand as a whole, wherever they stand', () => {
  const value = { data: 'x', x: 'x y', list: [1, null, 'x', { deep: 'x' }] };
  expect(exchangeStrings(value, new Map([['x', 'z']]))).toEqual({
    data: 'z',
    x: 'x y',
    list: [1, null, 'z', { deep: 'z' }],
  });
  expect(value.data).toBe('x');
});
