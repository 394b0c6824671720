import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noTokens } from './category-tokens.ts';
import { shouldTellUsage } from './should-tell-usage.ts';
import type { ContextUsage, UsageLevel } from '../agent/context-usage.ts';

function usageOf(currentTokens: number, level: UsageLevel = 'ok'): ContextUsage {
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

describe('shouldTellUsage', () => {
  it('tells the first usage, whenever it comes', () => {
    expect(shouldTellUsage(null, usageOf(1), { lastToldAtMs: 0, nowMs: 0 })).toBe(true);
  });

  it('tells a new level at once', () => {
    const times = { lastToldAtMs: 1_000, nowMs: 1_000 };
    expect(shouldTellUsage(usageOf(800), usageOf(801, 'warning'), times)).toBe(true);
    expect(shouldTellUsage(usageOf(951, 'critical'), usageOf(400), times)).toBe(true);
  });

  it('is silent where nothing has changed', () => {
    expect(shouldTellUsage(usageOf(5), usageOf(5), { lastToldAtMs: 0, nowMs: 60_000 })).toBe(false);
  });

  it('tells when the same number has been counted by the provider', () => {
    const counted = { ...usageOf(5), estimated: false };
    expect(shouldTellUsage(usageOf(5), counted, { lastToldAtMs: 0, nowMs: 60_000 })).toBe(true);
  });

  it('goes on after the clock was set back', () => {
    expect(shouldTellUsage(usageOf(5), usageOf(6), { lastToldAtMs: 9_000_000, nowMs: 0 })).toBe(true);
  });

  it('tells at most four times in any second of a stream whose level stays', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 100 });
    fc.assert(
      fc.property(pauses, (steps) => {
        const toldAt: number[] = [];
        let [nowMs, tokens, lastToldAtMs] = [5_000, 0, 0];
        let before: ContextUsage | null = null;
        for (const pause of steps) {
          nowMs += pause;
          tokens += 1;
          const now = usageOf(tokens);
          if (!shouldTellUsage(before, now, { lastToldAtMs, nowMs })) continue;
          before = now;
          lastToldAtMs = nowMs;
          toldAt.push(nowMs);
        }
        for (const first of toldAt) {
          expect(toldAt.filter((at) => at >= first && at < first + 1_000).length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});
