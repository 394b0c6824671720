import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noTokens } from './category-tokens.ts';
import { shouldEmitUsage } from './should-emit-usage.ts';
import type { ContextUsage, UsageLevel } from '../events/agent-event.ts';

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

describe('shouldEmitUsage', () => {
  it('tells the first usage, whenever it comes', () => {
    expect(shouldEmitUsage(null, usageOf(1), { lastEmittedAtMs: 0, nowMs: 0 })).toBe(true);
  });

  it('tells a new level at once', () => {
    const times = { lastEmittedAtMs: 1_000, nowMs: 1_000 };
    expect(shouldEmitUsage(usageOf(800), usageOf(801, 'warning'), times)).toBe(true);
    expect(shouldEmitUsage(usageOf(951, 'critical'), usageOf(400), times)).toBe(true);
  });

  it('is silent where nothing has changed', () => {
    expect(shouldEmitUsage(usageOf(5), usageOf(5), { lastEmittedAtMs: 0, nowMs: 60_000 })).toBe(false);
  });

  it('tells when the same number has been counted by the provider', () => {
    const counted = { ...usageOf(5), estimated: false };
    expect(shouldEmitUsage(usageOf(5), counted, { lastEmittedAtMs: 0, nowMs: 60_000 })).toBe(true);
  });

  it('goes on after the clock was set back', () => {
    expect(shouldEmitUsage(usageOf(5), usageOf(6), { lastEmittedAtMs: 9_000_000, nowMs: 0 })).toBe(true);
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
          const now = usageOf(tokens);
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
