import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toActual, toEstimate } from './gauge.ts';
import type { Gauge } from './gauge.ts';

const slope = fc.double({ min: 0.4, max: 3, noNaN: true });
const gauges: fc.Arbitrary<Gauge> = fc.oneof(
  fc.record({ offsetTokens: fc.nat(50_000), slope }),
  fc.record({ offsetTokens: fc.integer({ min: -50_000, max: 0 }), slope, leastSlope: slope }),
);

describe('a gauge', () => {
  it('comes back from what it stands for', () => {
    fc.assert(
      fc.property(gauges, fc.integer({ min: 0, max: 1_000_000 }), (gauge, estimate) => {
        expect(toEstimate(gauge, toActual(gauge, estimate))).toBeCloseTo(estimate, 3);
      }),
    );
  });

  it('never says less of more', () => {
    const tokens = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(gauges, tokens, tokens, (gauge, one, more) => {
        expect(toActual(gauge, one + more)).toBeGreaterThanOrEqual(toActual(gauge, one));
      }),
    );
  });

  it('says of no message that it costs nothing, where the provider counted less than the slope says', () => {
    const gauge = { offsetTokens: -30_000, slope: 1, leastSlope: 0.5 };
    expect(toActual(gauge, 60_000)).toBe(30_000);
    expect(toActual(gauge, 70_000)).toBe(40_000);
    expect(toActual(gauge, 20_000)).toBe(10_000);
    expect(toEstimate(gauge, 10_000)).toBe(20_000);
  });
});
