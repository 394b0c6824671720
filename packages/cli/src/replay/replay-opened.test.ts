import { describe, expect, it } from 'vitest';
import { judgeStrategies } from './replay-opened.ts';
import type { StrategyReplay } from './replayed.ts';

interface Row {
  readonly cost: number;
  readonly kept: number;
  readonly overflows?: number;
  readonly compactions?: number;
}

function row(strategy: string, { cost, kept, overflows = 0, compactions = 1 }: Row): StrategyReplay {
  const recall = { used: 100, kept, recallable: kept };
  return {
    strategy,
    summariesBy: 'nobody',
    decisionsBy: null,
    requests: 10,
    overflows,
    cannotFit: 0,
    tokens: { largest: 1, mean: 1 },
    compactions,
    prefixBreaks: 0,
    cost: { total: cost, asked: 0, ofNone: null },
    cachedShare: 0,
    recall: { names: recall, places: recall },
    compaction: null,
    contextTokens: [],
  };
}

const none = row('none', { cost: 10, kept: 100, overflows: 3, compactions: 0 });

describe('judgeStrategies', () => {
  it('finds the cheapest, the one that keeps most, and the cheapest of those near it', () => {
    const rows = [
      none,
      row('cheap', { cost: 1, kept: 50 }),
      row('near', { cost: 2, kept: 93 }),
      row('full', { cost: 5, kept: 95 }),
    ];
    expect(judgeStrategies(rows)).toEqual({
      cheapest: 'cheap',
      keptMost: 'full',
      best: 'near',
      isIdle: false,
    });
  });

  it('leaves out what sends requests over the window, however cheap', () => {
    const rows = [
      none,
      row('broken', { cost: 0.1, kept: 100, overflows: 1 }),
      row('sound', { cost: 4, kept: 10 }),
    ];
    expect(judgeStrategies(rows)).toMatchObject({ cheapest: 'sound', keptMost: 'sound', best: 'sound' });
  });

  it('may find that nothing is cheaper than no management', () => {
    const fits = row('none', { cost: 1, kept: 100, compactions: 0 });
    const verdict = judgeStrategies([fits, row('eager', { cost: 2, kept: 90 })]);
    expect(verdict).toMatchObject({ cheapest: 'none', keptMost: 'eager', isIdle: false });
  });

  it('knows when nobody had anything to do', () => {
    const idle = { cost: 1, kept: 100, compactions: 0 };
    expect(judgeStrategies([row('none', idle), row('digest', idle)]).isIdle).toBe(true);
    expect(judgeStrategies([none, row('digest', idle)]).isIdle).toBe(false);
  });
});
