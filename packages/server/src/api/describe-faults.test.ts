import { describeFaults } from './describe-faults.ts';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('names the first faults, however many there are', () => {
  const content = z.union([z.string(), z.array(z.string())]);
  const wrong = z.strictObject({ content }).safeParse({ content: Array.from({ length: 200_000 }, () => 1) });
  const faults = describeFaults(wrong.error?.issues ?? [], 'body');
  expect(faults).toHaveLength(20);
  expect(faults[0]).toEqual({ path: '/content/0', message: 'expected string' });
});
