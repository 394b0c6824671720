import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toActual, toEstimate } from './measures.ts';
import type { TokenScale } from './measures.ts';

const slope = fc.double({ min: 0.4, max: 3, noNaN: true });
const tokenScales: fc.Arbitrary<TokenScale> = fc.oneof(
  fc.record({ offsetTokens: fc.nat(50_000), slope }),
  fc.record({ offsetTokens: fc.integer({ min: -50_000, max: 0 }), slope, leastSlope: slope }),
);

describe('a token scale', () => {
  it('comes back from what it stands for', () => {
    fc.assert(
      fc.property(tokenScales, fc.integer({ min: 0, max: 1_000_000 }), (tokenScale, estimate) => {
        expect(toEstimate(tokenScale, toActual(tokenScale, estimate))).toBeCloseTo(estimate, 3);
      }),
    );
  });

  it('never says less of more', () => {
    const tokens = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(tokenScales, tokens, tokens, (tokenScale, one, more) => {
        expect(toActual(tokenScale, one + more)).toBeGreaterThanOrEqual(toActual(tokenScale, one));
      }),
    );
  });

  it('says of no message that it costs nothing, where the provider counted less than the slope says', () => {
    const tokenScale = { offsetTokens: -30_000, slope: 1, leastSlope: 0.5 };
    expect(toActual(tokenScale, 60_000)).toBe(30_000);
    expect(toActual(tokenScale, 70_000)).toBe(40_000);
    expect(toActual(tokenScale, 20_000)).toBe(10_000);
    expect(toEstimate(tokenScale, 10_000)).toBe(20_000);
  });
});
