import { describe, expect, it } from 'vitest';
import { resampled } from './confidence.ts';
import { readArguments } from '../replay/replay-options.ts';
import { figuresOf, noSums } from '@throughline/replay';
import { setChart } from './set-chart.ts';
import type { ContenderRow } from './contender-row.ts';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('resampled', () => {
  it('is the value itself where all units are alike', () => {
    expect(resampled([2, 2, 2, 2], mean)).toEqual([2, 2]);
  });

  it('lies around the mean, narrower the more units there are, and is the same twice', () => {
    const units = (count: number): number[] => Array.from({ length: count }, (_, index) => index % 2);
    const [low = 0, high = 0] = resampled(units(100), mean) ?? [];
    expect([low < 0.5, high > 0.5]).toEqual([true, true]);
    // 1.96 · 0.5 / √100
    expect(high - low).toBeGreaterThan(0.15);
    expect(high - low).toBeLessThan(0.25);
    expect(resampled(units(100), mean)).toEqual([low, high]);
  });

  it('says nothing of fewer than three units', () => {
    expect(resampled([1, 2], mean)).toBeUndefined();
  });
});

describe('readArguments', () => {
  it('reads budgets, sets and contenders', () => {
    const { options } = readArguments(
      ['x', '--budget', '10k,500', '--set', 'claude-code', '--only', 'ours'],
      'data',
    );
    expect(options).toMatchObject({
      folders: ['x'],
      budgets: [10_000, 500],
      sets: ['claude-code'],
      only: ['ours'],
    });
    expect(readArguments([], 'data').options.folders).toEqual(['data']);
  });

  it('refuses what is no number', () => {
    expect(() => readArguments(['--budget', 'many'], 'data')).toThrow(
      'Expected a number like 400 or 20k for --budget',
    );
  });
});

describe('setChart', () => {
  it('is SVG with a legend entry and a line for each contender', () => {
    const row = (contender: string): ContenderRow => ({
      contender,
      kind: 'ours',
      figures: {
        ...figuresOf(noSums()),
        meanTokens: 12_000,
      },
      bySession: {},
      byStep: {},
    });
    const report = { set: 'other', budgetTokens: 20_000, sessions: [], leftOut: 0, goals: [] } as const;
    const svg = setChart('a <set>', [{ ...report, rows: [row('one & only'), row('two')] }]);
    expect(svg.startsWith('<svg ')).toBe(true);
    expect(svg).toContain('a &lt;set&gt;');
    expect(svg.match(/<polyline /g)).toHaveLength(4);
    expect(svg.match(/>1 {2}one &amp; only<\/text>/g)).toHaveLength(1);
  });
});
