import { describe, expect, it } from 'vitest';
import { logLogSlope, median, quantile } from './measure.ts';

describe('logLogSlope', () => {
  it('is the exponent of a power', () => {
    const points = (power: number) => [10, 100, 1_000].map((size) => ({ size, value: 3 * size ** power }));
    expect(logLogSlope(points(1))).toBeCloseTo(1);
    expect(logLogSlope(points(2))).toBeCloseTo(2);
  });
});

describe('quantile', () => {
  it('is the nearest rank', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(quantile([1, 2, 3, 4], 0.95)).toBe(4);
    expect(median([])).toBeNaN();
  });
});
