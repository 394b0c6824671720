import { expect, it } from 'vitest';
import { sizeOf } from './size-of.ts';

it('counts characters and bytes wherever they stand', () => {
  const message = { role: 'user', parts: [{ text: 'x'.repeat(5_000) }, { data: new Uint8Array(3_000) }] };
  expect(sizeOf(message)).toBeGreaterThan(8_000);
  expect(sizeOf(message)).toBeLessThan(8_200);
});

it('looks into what is nested deeper than calls may be', () => {
  let nested: unknown = 'end';
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
  expect(sizeOf(nested)).toBeGreaterThan(100_000);
});
