import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { budgetOf } from './budget.ts';
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

  it('lets an admitted group fit on top of what a compaction leaves, for any window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2_000, max: 2_000_000 }),
        fc.integer({ min: 1, max: 200_000 }),
        (windowTokens, out) => {
          const budget = budgetOf({ windowTokens, maxOutputTokens: out });
          expect(budget.lowTokens + budget.groupTokens).toBeLessThan(budget.triggerTokens);
          expect(budget.triggerTokens).toBeLessThanOrEqual(budget.usableTokens);
          expect(budget.usableTokens).toBeLessThan(windowTokens);
        },
      ),
    );
  });

  it.each([0, -1, NaN, Infinity])('refuses a window of %s', (windowTokens) => {
    expect(() => budgetOf({ windowTokens })).toThrow(ContextError);
  });

  it('refuses a share outside (0, 1]', () => {
    expect(() => budgetOf({ windowTokens: 1_000, target: 1.5 })).toThrow(/target/);
  });
});
