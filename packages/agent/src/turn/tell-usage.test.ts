import { parsePlaceholder } from '@throughline/core/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noTokens } from '../view/context-usage-of.ts';
import { budgetNote, shouldEmitUsage } from './tell-usage.ts';
import type { ContextUsage, UsageLevel } from '../events/agent-event.ts';

function usageAt(currentTokens: number, level: UsageLevel = 'ok'): ContextUsage {
  return {
    currentTokens,
    limit: 1_000,
    windowTokens: 1_200,
    triggerTokens: 900,
    percentUsed: currentTokens / 10,
    level,
    byCategory: { ...noTokens(), user: currentTokens },
    estimated: true,
  };
}

describe('shouldEmitUsage', () => {
  it('tells the first usage, whenever it comes', () => {
    expect(shouldEmitUsage(null, usageAt(1), { lastEmittedAtMs: 0, nowMs: 0 })).toBe(true);
  });

  it('tells a new level at once', () => {
    const times = { lastEmittedAtMs: 1_000, nowMs: 1_000 };
    expect(shouldEmitUsage(usageAt(800), usageAt(801, 'warning'), times)).toBe(true);
    expect(shouldEmitUsage(usageAt(951, 'critical'), usageAt(400), times)).toBe(true);
  });

  it('is silent where nothing has changed', () => {
    expect(shouldEmitUsage(usageAt(5), usageAt(5), { lastEmittedAtMs: 0, nowMs: 60_000 })).toBe(false);
  });

  it('tells when the same number has been counted by the provider', () => {
    const counted = { ...usageAt(5), estimated: false };
    expect(shouldEmitUsage(usageAt(5), counted, { lastEmittedAtMs: 0, nowMs: 60_000 })).toBe(true);
  });

  it('goes on after the clock was set back', () => {
    expect(shouldEmitUsage(usageAt(5), usageAt(6), { lastEmittedAtMs: 9_000_000, nowMs: 0 })).toBe(true);
  });

  it('tells at most four times in any second of a stream whose level stays', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 100 });
    fc.assert(
      fc.property(pauses, (steps) => {
        const emittedAt: number[] = [];
        let [nowMs, tokens, lastEmittedAtMs] = [5_000, 0, 0];
        let before: ContextUsage | null = null;
        for (const pause of steps) {
          nowMs += pause;
          tokens += 1;
          const now = usageAt(tokens);
          if (!shouldEmitUsage(before, now, { lastEmittedAtMs, nowMs })) continue;
          before = now;
          lastEmittedAtMs = nowMs;
          emittedAt.push(nowMs);
        }
        for (const first of emittedAt) {
          expect(emittedAt.filter((at) => at >= first && at < first + 1_000).length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});

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
