import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareOut } from './share-out.ts';

describe('shareOut', () => {
  it('adds up exactly, with no share a whole token off its weight', () => {
    const weight = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true }));
    const weights = fc.record({ a: weight, b: weight, c: weight, d: weight });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), weights, (total, given) => {
        const shares = shareOut(total, given);
        const values = Object.values(shares);
        expect(values.reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(values.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
        const sum = given.a + given.b + given.c + given.d;
        fc.pre(sum > 0);
        for (const key of ['a', 'b', 'c', 'd'] as const) {
          expect(Math.abs(shares[key] - (given[key] / sum) * total)).toBeLessThanOrEqual(1.001);
        }
      }),
    );
  });

  it('rounds the largest remainders up, and of equal ones the first', () => {
    expect(shareOut(10, { a: 1, b: 1, c: 1 })).toEqual({ a: 4, b: 3, c: 3 });
    expect(shareOut(10, { a: 1, b: 2, c: 4 })).toEqual({ a: 1, b: 3, c: 6 });
    expect(shareOut(0, { a: 1, b: 2 })).toEqual({ a: 0, b: 0 });
  });

  it('gives everything to the first where nothing has a weight', () => {
    expect(shareOut(7, { a: 0, b: 0 })).toEqual({ a: 7, b: 0 });
  });
});
