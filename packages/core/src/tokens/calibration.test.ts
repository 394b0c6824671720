import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  observe,
  soundCalibration,
  startCalibration,
  calibratedTokens,
  uncalibrated,
  wholeRequests,
} from './calibration.ts';
import type { Calibration } from './calibration.ts';

const windowTokens = 200_000;
const after = (
  pairs: readonly (readonly [number, number])[],
  start: Calibration = uncalibrated,
): Calibration =>
  pairs.reduce(
    (state, [estimateTokens, actualTokens]) => observe(state, { estimateTokens, actualTokens, windowTokens }),
    start,
  );
const anyNumber = fc.oneof(
  fc.double(),
  fc.integer({ min: -10, max: 1_000_000 }),
  fc.constantFrom(0, NaN, Infinity),
);

describe('observe', () => {
  it.each([
    ['zero', 0],
    ['negative', -5],
    ['not a number', NaN],
    ['infinite', Infinity],
    ['above twice the window', 2 * windowTokens + 1],
  ])('does not believe usage that is %s', (_kind, actualTokens) => {
    const state = after([[1_000, 5_000]]);
    expect(observe(state, { estimateTokens: 1_000, actualTokens, windowTokens })).toBe(state);
  });

  it('does not believe usage of a prompt that the server cut', () => {
    expect(
      observe(uncalibrated, { estimateTokens: 9_000, actualTokens: 4_000, windowTokens, wasCut: true }),
    ).toBe(uncalibrated);
  });

  it('keeps a sane line whatever it is told', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyNumber, anyNumber), { maxLength: 60 }), (pairs) => {
        const state = after(pairs);
        expect(state.a).toBeGreaterThanOrEqual(0.4);
        expect(state.a).toBeLessThanOrEqual(8);
        expect(state.b).toBeGreaterThanOrEqual(0);
        expect(state.pairs?.length ?? 0).toBeLessThanOrEqual(32);
        expect(calibratedTokens(state, 1_000)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('survives being stored as JSON', () => {
    const state = after([
      [1_000, 16_000],
      [4_000, 19_500],
    ]);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it('takes the difference of the first call for what it cannot see', () => {
    const state = after([[500, 18_000]]);
    expect(calibratedTokens(state, 500)).toBeCloseTo(18_000);
    expect(calibratedTokens(state, 10_500)).toBeCloseTo(29_000);
  });

  it.each([0.8, 1.1, 1.6, 2.5, 5, 7])(
    'takes the ratio of small calls where all that is sent is estimated: slope %d',
    (slope) => {
      const line = (estimateTokens: number): number => Math.round(slope * estimateTokens + 20);
      let state: Calibration = wholeRequests;
      for (const estimateTokens of [500, 700, 650]) {
        const actualTokens = line(estimateTokens);
        state = observe(state, { estimateTokens, actualTokens, windowTokens: 4_096 });
        const share = calibratedTokens(state, estimateTokens + 300) / line(estimateTokens + 300);
        expect(share).toBeGreaterThan(0.85);
        expect(share).toBeLessThan(1.2);
      }
      expect(soundCalibration(JSON.parse(JSON.stringify(state)))).toEqual(state);
    },
  );

  it('takes a ratio where the first call is below its estimate', () => {
    expect(calibratedTokens(after([[10_000, 8_000]]), 20_000)).toBeCloseTo(16_000);
  });

  it('knows any true line to 5 % after three calls that differ in size', () => {
    const line = fc.record({
      a: fc.double({ min: 0.85, max: 1.5, noNaN: true }),
      b: fc.integer({ min: 0, max: 30_000 }),
    });
    fc.assert(
      fc.property(line, fc.integer({ min: 2_000, max: 20_000 }), ({ a, b }, first) => {
        const actualOf = (estimate: number): number => b + a * estimate;
        const state = after([1, 2, 4].map((times) => [first * times, actualOf(first * times)] as const));
        for (const estimate of [first * 4, first * 6]) {
          expect(Math.abs(calibratedTokens(state, estimate) / actualOf(estimate) - 1)).toBeLessThan(0.05);
        }
      }),
    );
  });

  it('is not bent by one odd call', () => {
    const pairs = Array.from({ length: 12 }, (_, index) => {
      const estimate = 5_000 + index * 4_000;
      return [estimate, 15_000 + 1.2 * estimate] as const;
    });
    const odd = after([...pairs, [54_000, 20_000] as const]);
    expect(calibratedTokens(odd, 60_000) / (15_000 + 1.2 * 60_000)).toBeGreaterThan(0.93);
  });

  it('remembers other sizes while the session stays at one', () => {
    const early = after([
      [2_000, 17_000],
      [20_000, 39_000],
    ]);
    const late = after(
      Array.from({ length: 200 }, (_, index) => [100_000 + index, 135_000 + index] as const),
      early,
    );
    expect(calibratedTokens(late, 20_000) / 39_000).toBeGreaterThan(0.9);
    expect(calibratedTokens(late, 20_000) / 39_000).toBeLessThan(1.1);
  });
});

describe('startCalibration', () => {
  it('multiplies by the expected slope until a call is known, and weighs the first calls against it', () => {
    const start = startCalibration(1.25);
    expect(calibratedTokens(start, 1_000)).toBe(1_250);
    const first = after([[2_000, 20_000]], start);
    expect(calibratedTokens(first, 10_000)).toBeCloseTo(30_000);
    expect(first.expectedSlope).toBe(1.25);
  });
});

describe('soundCalibration', () => {
  it('gives what observe has made as the same object', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyNumber, anyNumber), { maxLength: 40 }),
        fc.boolean(),
        (pairs, isKnown) => {
          const state = after(pairs, isKnown ? startCalibration(1.25) : uncalibrated);
          expect(soundCalibration(state)).toBe(state);
        },
      ),
    );
  });

  it.each([
    null,
    'a line',
    {},
    { a: NaN, b: 0 },
    { a: null, b: null },
    { a: 0, b: 0 },
    { a: 1, b: NaN },
    { a: 1, b: -5 },
    { a: 1, b: Infinity },
    { a: 50, b: 0 },
  ])('starts anew from %j', (stored) => {
    expect(soundCalibration(stored)).toEqual(uncalibrated);
    expect(calibratedTokens(stored as Calibration, 1_000)).toBe(1_000);
  });

  it('keeps the expected slope where only the line is lost, and leaves out pairs that are none', () => {
    expect(soundCalibration({ a: null, b: 0, expectedSlope: 1.25 })).toEqual(startCalibration(1.25));
    const pair = { estimateTokens: 1_000, actualTokens: 1_200 };
    const stored = {
      a: 1.2,
      b: 0,
      expectedSlope: NaN,
      pairs: [null, pair, { estimateTokens: 5, actualTokens: null }],
    };
    expect(soundCalibration(stored)).toEqual({ a: 1.2, b: 0, pairs: [pair] });
    expect(soundCalibration({ a: 1.2, b: 0, pairs: {} })).toEqual({ a: 1.2, b: 0 });
  });

  it('keeps a sane line whatever was stored and is told then', () => {
    fc.assert(
      fc.property(fc.anything(), anyNumber, anyNumber, (stored, estimateTokens, actualTokens) => {
        const state = observe(stored as Calibration, { estimateTokens, actualTokens, windowTokens });
        expect(state.a).toBeGreaterThanOrEqual(0.4);
        expect(state.a).toBeLessThanOrEqual(8);
        expect(Number.isFinite(state.b) && state.b >= 0).toBe(true);
      }),
    );
  });
});
