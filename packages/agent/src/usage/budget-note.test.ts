import { parsePlaceholder } from '@throughline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetNote } from './budget-note.ts';
import { noTokens } from './category-tokens.ts';
import type { ContextUsage } from '../events/agent-event.ts';

function usageOf(currentTokens: number, limit = 163_000, triggerTokens = 140_000): ContextUsage {
  return {
    currentTokens,
    limit,
    windowTokens: limit + 20_000,
    triggerTokens,
    percentUsed: (currentTokens / limit) * 100,
    level: 'ok',
    byCategory: { ...noTokens(), user: currentTokens },
    estimated: true,
  };
}

describe('budgetNote', () => {
  it.each([
    [0, 'about 160k of 160k tokens of context are free. Older messages are condensed after about 140k more.'],
    [
      100_000,
      'about 60k of 160k tokens of context are free. Older messages are condensed after about 40k more.',
    ],
    [
      138_000,
      'about 25k of 160k tokens of context are free. Older messages are condensed within the next 5k.',
    ],
    [
      141_000,
      'about 20k of 160k tokens of context are free. Older messages are condensed before the next step.',
    ],
    [
      170_000,
      'less than 5k of 160k tokens of context are free. Older messages are condensed before the next step.',
    ],
  ])('says at %i tokens how much is left, and when older messages go', (currentTokens, text) => {
    expect(budgetNote(usageOf(currentTokens))).toBe(`[Automatic status, not written by the user: ${text}]`);
  });

  it('promises no compaction where nothing is compacted by itself', () => {
    expect(budgetNote(usageOf(100_000), { isAutomatic: false })).toBe(
      '[Automatic status, not written by the user: about 60k of 160k tokens of context are free.]',
    );
  });

  it('has at most a hundred texts from an empty context to a full one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 2_000_000 }), (limit) => {
        const texts = new Set<string>();
        for (let part = 0; part <= 1_000; part += 1) {
          texts.add(budgetNote(usageOf(Math.round((limit * part) / 1_000), limit, Math.round(limit * 0.8))));
        }
        expect(texts.size).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('never promises more room than there is', () => {
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(tokens, tokens, (currentTokens, limit) => {
        const [, number, unit] =
          /about ([\d.]+)(k?) of/.exec(budgetNote(usageOf(currentTokens, limit))) ?? [];
        if (number === undefined) return;
        expect(Number(number) * (unit === 'k' ? 1_000 : 1)).toBeLessThanOrEqual(limit - currentTokens);
      }),
    );
  });

  it('is one line, no placeholder, and asks for nothing', () => {
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(tokens, tokens, (currentTokens, limit) => {
        const note = budgetNote(usageOf(currentTokens, limit));
        expect(note).toMatch(/^\[[^\n[\]]+\]$/);
        expect(parsePlaceholder(note)).toBeUndefined();
        expect(note).not.toMatch(/\b(you|your|please|must|should|do not|avoid|NaN|Infinity)\b/i);
        expect(note).not.toMatch(/\d\.\d{4}/);
      }),
    );
  });
});
