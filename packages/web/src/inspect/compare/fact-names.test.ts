import { expect, it } from 'vitest';
import { kindOf, saysName } from './compaction-diff.ts';

it.each([
  ['4812', 'port 4812.', true],
  ['4812', 'id 48123456', false],
  ['4812', 'id 14812', false],
  ['48', 'took 48.5 s', false],
  ['1.2', 'took 11.2 s', false],
  ['1.2', 'version 1.2, as said', true],
  ['a.ts', 'see src/a.ts', true],
  ['old_orders', 'the table `old_orders`', true],
])('finds %s in “%s”: %s', (name, text, isThere) => {
  expect(saysName(text, name)).toBe(isThere);
});

it('tells paths, numbers and names apart', () => {
  expect(['src/a', 'a.ts', '4812', '1.2', 'old_orders'].map(kindOf)).toEqual([
    'path',
    'path',
    'number',
    'number',
    'name',
  ]);
});
