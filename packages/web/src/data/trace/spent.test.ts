import { describe, expect, it } from 'vitest';
import { spentOf, together } from './spent.ts';
import type { TraceNote, TraceRun, TraceStep } from '@throughline/client';

const usage = {
  input: 100_000,
  output: 20_000,
  reasoning: 0,
  cacheRead: 40_000,
  cacheWrite: 10_000,
  total: 120_000,
};

function step(model: string, used: TraceStep['usage'] = usage, notes: readonly TraceNote[] = []): TraceStep {
  return {
    seq: 1,
    step: 1,
    provider: 'p',
    model,
    startedAtMs: 0,
    context: null,
    finish: used && 'stop',
    usage: used,
    durationMs: null,
    firstTokenMs: null,
    messageId: null,
    calls: [],
    notes,
  };
}

function run(steps: readonly TraceStep[], isOver = true): TraceRun {
  const outcome = isOver ? ({ type: 'completed' } as unknown as TraceRun['outcome']) : null;
  return { runId: 'r', startedAtMs: 0, outcome, durationMs: null, steps, notes: [] };
}

const compacted = (summariserUsd: number) =>
  ({
    type: 'context:compressed',
    seq: 2,
    atMs: 0,
    data: { cost: { rewriteUsd: 9, summariserUsd, savedPerStepUsd: 9 } },
  }) as unknown as TraceNote;

describe('what a session has spent', () => {
  it('is priced by the model of each step, with what its cache held and what was written to it', () => {
    // Dollars for a million: 2 in, 10 out, 0.1 from the cache, 2.5 to the cache.
    const one = spentOf([run([step('claude-sonnet-5-5')])]);
    expect(one.usd).toBeCloseTo((50_000 * 2 + 40_000 * 0.1 + 10_000 * 2.5 + 20_000 * 10) / 1_000_000, 9);
    const both = spentOf([run([step('claude-sonnet-5-5'), step('claude-opus-5-5')])]);
    expect(both.usd).toBeCloseTo(one.usd + spentOf([run([step('claude-opus-5-5')])]).usd, 9);
    expect(both.usd).toBeGreaterThan(2 * one.usd);
  });

  it('has what summaries cost, and nothing for a model whose price is not known', () => {
    const spent = spentOf([run([step('claude-sonnet-5-5', usage, [compacted(0.5)]), step('my-own')])]);
    expect(spent).toMatchObject({ steps: 2, priced: 1, inputTokens: 200_000, outputTokens: 40_000 });
    expect(spent.usd).toBeCloseTo(0.5 + spentOf([run([step('claude-sonnet-5-5')])]).usd, 9);
  });

  it('says how many steps nobody counted, without the one that is at work', () => {
    const steps = [step('my-own', null), step('my-own', null)];
    expect(spentOf([run(steps)])).toMatchObject({ steps: 2, uncounted: 2, priced: 0 });
    expect(spentOf([run(steps, false)])).toMatchObject({ steps: 1, uncounted: 1 });
  });

  it('adds up page by page', () => {
    const pages = [[run([step('claude-sonnet-5-5')])], [run([step('my-own', null)])]];
    const [first, second] = pages.map(spentOf);
    expect(together(first!, second!)).toEqual(spentOf(pages.flat()));
  });
});
