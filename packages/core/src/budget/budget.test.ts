import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { budgetOf, lowestTarget, targetFor } from './budget.ts';
import { measuresOf } from './measures.ts';
import { ContextError } from '../errors/context-error.ts';

describe('budgetOf', () => {
  it('keeps the smallest of request, model and a quarter of the window free for the answer', () => {
    expect(budgetOf({ windowTokens: 200_000 }).outputReserveTokens).toBe(32_000);
    expect(budgetOf({ windowTokens: 200_000, maxOutputTokens: 8_000 }).outputReserveTokens).toBe(8_000);
    expect(
      budgetOf({ windowTokens: 200_000, maxOutputTokens: 8_000, requestMaxTokens: 500 }).outputReserveTokens,
    ).toBe(500);
    expect(budgetOf({ windowTokens: 16_000 }).outputReserveTokens).toBe(4_000);
  });

  it('leaves most of the window where the model may answer with all of it', () => {
    const budget = budgetOf({ windowTokens: 32_768, maxOutputTokens: 32_768 });
    expect(budget.usableTokens).toBe(32_768 - 8_192 - 1_310);
  });

  it('puts the trigger at the strategy point, the absolute cap or what is usable, whichever is lowest', () => {
    expect(budgetOf({ windowTokens: 100_000, triggerAt: () => 1e9 }).triggerTokens).toBe(71_000);
    expect(
      budgetOf({ windowTokens: 100_000, triggerAt: (_usable, window) => window / 2 }).triggerTokens,
    ).toBe(50_000);
    expect(budgetOf({ windowTokens: 100_000, thresholdTokens: 40_000 }).triggerTokens).toBe(40_000);
  });

  it('keeps 40 000 tokens of output and that of two turns, together a quarter of the trigger', () => {
    const kept = ({ keepTokens, keepTurns, mostKeptTokens }: ReturnType<typeof budgetOf>): number[] => [
      keepTokens,
      keepTurns,
      mostKeptTokens,
    ];
    expect(kept(budgetOf({ windowTokens: 100_000 }))).toEqual([17_750, 2, 17_750]);
    expect(kept(budgetOf({ windowTokens: 1_000_000 }))).toEqual([40_000, 2, 240_750]);
  });

  it('gives prose a fifth of a small target, 2 000 tokens, and a tenth of a large one up to 4 000', () => {
    const prose = (thresholdTokens: number): number =>
      budgetOf({ windowTokens: 1_000_000, thresholdTokens }).summaryTokens;
    expect([4_000, 10_000, 20_000, 60_000, 150_000].map(prose)).toEqual([440, 1_100, 2_000, 3_300, 4_000]);
  });

  it('takes what is asked for in place of its own figures for pruning and summaries', () => {
    const asked = { keepTokens: 50_000, keepTurns: 0, leastGainTokens: 7, summaryTokens: 300 };
    expect(budgetOf({ windowTokens: 100_000, ...asked })).toMatchObject({ ...asked, mostKeptTokens: 50_000 });
    const { triggerTokens, keepTokens } = budgetOf({ windowTokens: 10_000, keepTokens: 1_000_000 });
    expect(keepTokens).toBe(triggerTokens);
  });

  it('lets a truncated exchange fit on top of what a compaction leaves, for any window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2_000, max: 2_000_000 }),
        fc.integer({ min: 1, max: 200_000 }),
        (windowTokens, out) => {
          const budget = budgetOf({ windowTokens, maxOutputTokens: out });
          expect(budget.targetTokens + budget.exchangeTokens).toBeLessThan(budget.triggerTokens);
          expect(targetFor(budget, { unseenTokens: budget.exchangeTokens, fixedTokens: 0 })).toBe(
            budget.targetTokens,
          );
          expect(budget.triggerTokens).toBeLessThanOrEqual(budget.usableTokens);
          expect(budget.usableTokens).toBeLessThan(windowTokens);
        },
      ),
    );
  });

  const wrong = [NaN, -1, 0.5, Infinity, -Infinity, null, '9'] as unknown as number[];

  it.each([
    ['outputReserveTokens', 'a whole number ≥ 0'],
    ['requestMaxTokens', 'a whole number ≥ 0'],
    ['maxOutputTokens', 'a whole number ≥ 0'],
    ['safetyTokens', 'a whole number ≥ 0'],
    ['maxInputTokens', 'a whole number ≥ 1'],
    ['thresholdTokens', 'a whole number ≥ 1'],
    ['target', 'a number in (0, 1]'],
    ['softThreshold', 'a number in (0, 1]'],
  ])('refuses %s that is not %s, and says what came', (option, expected) => {
    for (const received of wrong.map((value) => (expected.endsWith(']') && value === 0.5 ? 1.5 : value))) {
      const input = { windowTokens: 40_000, [option]: received };
      expect(refusalOf(() => budgetOf(input))).toEqual({ option, expected, received });
    }
    if (expected.endsWith('1'))
      expect(() => budgetOf({ windowTokens: 40_000, [option]: 0 })).toThrow(ContextError);
  });

  it.each([0, 0.5, ...wrong.filter((value) => value !== 0.5)])('refuses a window of %s', (received) => {
    const refusal = { option: 'windowTokens', expected: 'a finite number ≥ 1', received };
    expect(refusalOf(() => budgetOf({ windowTokens: received }))).toEqual(refusal);
  });

  it.each([0, ...wrong.filter((value) => value !== 0.5)])(
    'refuses a strategy that acts at %s',
    (received) => {
      const refusal = { option: 'strategy.triggerAt()', expected: 'a finite number > 0', received };
      expect(refusalOf(() => budgetOf({ windowTokens: 40_000, triggerAt: () => received }))).toEqual(refusal);
    },
  );

  it('gives whole numbers for any input that it takes', () => {
    const tokens = fc.integer({ min: 1, max: 1_000_000 });
    const share = fc.double({ min: 0.01, max: 1, noNaN: true });
    const input = fc.record(
      {
        windowTokens: fc.double({ min: 20, max: 1e7, noNaN: true }),
        maxInputTokens: tokens,
        maxOutputTokens: tokens,
        requestMaxTokens: tokens,
        outputReserveTokens: tokens,
        safetyTokens: tokens,
        thresholdTokens: tokens,
        target: share,
        softThreshold: share,
        triggerAt: share.map((point) => (usable: number) => usable * point),
      },
      { requiredKeys: ['windowTokens'] },
    );
    fc.assert(
      fc.property(input, (given) => {
        const budget = budgetOf(given);
        for (const value of Object.values(budget))
          expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
        expect(budget.triggerTokens).toBeLessThanOrEqual(budget.usableTokens);
        expect(budget.triggerTokens).toBeGreaterThan(0);
      }),
    );
  });
});

describe('targetFor', () => {
  const usual = (thresholdTokens: number, unseenTokens: number, fixedTokens = 0): number =>
    targetFor(budgetOf({ windowTokens: 200_000, thresholdTokens }), { unseenTokens, fixedTokens });

  it('fills a small trigger up to 80 %, one of 40 000 and more up to 55 %', () => {
    expect([4_000, 10_000, 25_000, 40_000, 150_000].map((trigger) => usual(trigger, 0))).toEqual([
      3_200, 8_000, 16_875, 22_000, 82_500,
    ]);
  });

  it('leaves room for four more exchanges such as the one that is sent on top', () => {
    expect(usual(25_000, 1_600)).toBe(16_875);
    expect(usual(25_000, 2_000)).toBe(15_000);
    expect(usual(25_000, 9_000)).toBe(13_750);
  });

  it('is measured above what every request holds, where that takes much of the trigger', () => {
    expect([0, 5_000, 15_000, 20_000].map((fixed) => usual(25_000, 0, fixed))).toEqual([
      16_875, 16_875, 20_400, 22_500,
    ]);
    expect([0, 20_000, 60_000].map((fixed) => usual(100_000, 0, fixed))).toEqual([55_000, 55_200, 77_600]);
  });

  it('is what is asked for, however little is sent on top', () => {
    const budget = budgetOf({ windowTokens: 200_000, thresholdTokens: 20_000, target: 0.4 });
    expect(
      [0, 1_000, 9_000].map((unseenTokens) => targetFor(budget, { unseenTokens, fixedTokens: 0 })),
    ).toEqual([8_000, 8_000, 8_000]);
  });

  it('never leaves less than a tenth of the trigger, nor goes below the lowest target', () => {
    const tokens = fc.nat({ max: 400_000 });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 400_000 }), tokens, tokens, (trigger, unseen, fixed) => {
        const budget = budgetOf({ windowTokens: 1_000_000, thresholdTokens: trigger });
        const lowest = lowestTarget(budget, fixed);
        const target = targetFor(budget, { unseenTokens: unseen, fixedTokens: fixed });
        expect(lowest).toBeGreaterThanOrEqual(budget.targetTokens);
        expect(target).toBeLessThanOrEqual(budget.triggerTokens);
        expect(target).toBeGreaterThanOrEqual(lowest);
        if (target > lowest)
          expect(target + unseen + budget.growthTokens).toBeLessThanOrEqual(budget.triggerTokens);
      }),
    );
  });

  it('leaves room for a truncated exchange on top, however much is fixed', () => {
    const share = fc.double({ min: 0, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 2_000, max: 400_000 }), share, (trigger, fixedShare) => {
        const budget = budgetOf({ windowTokens: 1_000_000, thresholdTokens: trigger });
        const fixedTokens = Math.floor(trigger * fixedShare);
        const targetTokens = lowestTarget(budget, fixedTokens);
        const scale = { offsetTokens: fixedTokens, slope: 1 };
        const { exchange } = measuresOf(budget, scale, { targetTokens, fixedTokens });
        expect(targetTokens + exchange).toBeLessThanOrEqual(trigger);
      }),
    );
  });
});

function refusalOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (ContextError.is(error, 'invalid-option')) return error.details;
    throw error;
  }
  throw new Error('expected a refusal');
}
