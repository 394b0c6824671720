import { expect, it } from 'vitest';
import { slowFirst } from '../tools/slow-first.ts';

it('test files that take long begin first, and the order stays as it was beside that', () => {
  const files = ['b.test.ts', 'c.slow.test.ts', 'slow.test.ts', 'a.slow.test.ts', 'd.long.test.ts'];
  const sorted = slowFirst(files.map((moduleId) => ({ moduleId })));
  expect(sorted.map(({ moduleId }) => moduleId)).toEqual([
    'c.slow.test.ts',
    'a.slow.test.ts',
    'd.long.test.ts',
    'b.test.ts',
    'slow.test.ts',
  ]);
});
