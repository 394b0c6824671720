import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { emptyState } from './state.ts';
import { prepare } from '../context/prepare.ts';
import { priceRequest } from '../models/prices.ts';
import { prune } from '../context/prune.ts';
import { renderView } from '../history/render-view.ts';
import { resume } from '../context/resume.ts';
import type { Policy } from './policy.ts';
import type { Pricing } from '../models/prices.ts';
import type { Ready, Step } from '../context/step.ts';

const pricing: Pricing = {
  prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  cache: { kind: 'marked', lifetimeMs: 300_000 },
};

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const priced = (windowTokens: number, more: Partial<Policy> = {}): Policy =>
  policyOf(windowTokens, 'reactive-overflow', { pricing, ...more });

describe('priceRequest', () => {
  it('charges the beginning at the price of the cache and the rest at that of writing it', () => {
    const cost = priceRequest(pricing, { inputTokens: 10_000, cachedTokens: 8_000, outputTokens: 1_000 });
    expect(cost).toBeCloseTo((8_000 * 0.3 + 2_000 * 3.75 + 1_000 * 15) / 1e6, 12);
  });

  it('charges the full price where the provider does not cache, and that of writing where it takes one', () => {
    const tokens = { inputTokens: 1_000_000, cachedTokens: 500_000 };
    expect(priceRequest({ ...pricing, cache: { kind: 'none', lifetimeMs: 0 } }, tokens)).toBe(3);
    const automatic: Pricing = { ...pricing, cache: { kind: 'automatic', lifetimeMs: 1 } };
    expect(priceRequest(automatic, tokens)).toBeCloseTo(2.025, 12);
    const free: Pricing = { ...automatic, prices: { ...pricing.prices, cacheWrite: 0 } };
    expect(priceRequest(free, tokens)).toBeCloseTo(1.65, 12);
  });
});

describe('the cost of a pass', () => {
  const transcript = transcriptOf(agentRun(400, 300));

  it('is what the next two requests would show', () => {
    const before = ready(prepare(transcript, emptyState(), priced(400_000)));
    const after = ready(prepare(transcript, emptyState(), priced(16_000)));
    const { cost, tokens } = after.report;
    if (!cost) throw new Error('expected a cost');
    const unseen = 100;
    const without = priceRequest(pricing, {
      inputTokens: tokens.before,
      cachedTokens: tokens.before - unseen,
    });
    const kept = renderView(transcript, after.view).messages.slice(0, 2);
    expect(kept.every(({ isEdited }) => !isEdited)).toBe(true);
    const withPass = priceRequest(pricing, { inputTokens: tokens.final, cachedTokens: 25 });
    expect(Math.abs(cost.rewriteUsd - (withPass - without))).toBeLessThan(0.001);
    expect(cost.savedPerStepUsd).toBeCloseTo(((tokens.before - tokens.final) * 0.3) / 1e6, 4);
    expect(before.report.cost).toBeNull();
  });

  it('says after how many requests it has paid for itself', () => {
    const { cost } = ready(prepare(transcript, emptyState(), priced(16_000))).report;
    if (!cost || cost.breakEvenSteps === null) throw new Error('expected a cost');
    const spent = cost.rewriteUsd + cost.summariserUsd;
    expect(cost.breakEvenSteps * cost.savedPerStepUsd).toBeGreaterThanOrEqual(spent);
    expect((cost.breakEvenSteps - 1) * cost.savedPerStepUsd).toBeLessThan(Math.max(spent, 1e-12));
  });

  it('counts the summariser at its own price', () => {
    const cheap = { ...pricing, prices: { input: 0.1, output: 0.4, cacheRead: 0.01, cacheWrite: 0.1 } };
    const policy = priced(16_000, { summariser: { type: 'model', windowTokens: 200_000, pricing: cheap } });
    const asked = prepare(transcript, emptyState(), policy);
    if (asked.type !== 'model-needed') throw new Error('expected a question');
    const prose = `## Completed Work\n${'- read a module and its handlers\n'.repeat(12)}## Current State\n- fixing it`;
    const usage = { inputTokens: 10_000, outputTokens: 500 };
    const step = ready(
      resume(transcript, asked.paused, policy, { type: 'text', text: prose, finish: 'stop', usage }),
    );
    expect(step.report.cost?.summariserUsd).toBeCloseTo((10_000 * 0.1 + 500 * 0.4) / 1e6, 12);
  });

  it('is unknown without prices', () => {
    expect(ready(prepare(transcript, emptyState(), policyOf(16_000))).report.cost).toBeNull();
  });
});

describe('pruning and the cache', () => {
  // Much old output, and little room left until the trigger: what is saved until then is less than a new prefix costs.
  const near = transcriptOf(agentRun(15, 2_000));
  const policy = priced(16_000, { budget: { windowTokens: 16_000, softThreshold: 0.5 } });

  it('waits at the end of a run while the cache is warm and it would not pay', () => {
    const long = transcriptOf([...agentRun(30, 6_000), ...exchange(99, 6_000)]);
    const warm = priced(68_000);
    expect(prune(long, policyOf(68_000)).changes.length).toBeGreaterThan(0);
    expect(prune(long, warm, emptyState(), { idleMs: 1_000 }).changes).toEqual([]);
    expect(prune(long, warm, emptyState(), { idleMs: 300_000 }).changes.length).toBeGreaterThan(0);
  });

  it('is done at the end of a run where the requests until the trigger save more than the new prefix costs', () => {
    const long = transcriptOf([
      ...agentRun(90, 6_000),
      ...Array.from({ length: 40 }, (_, i) => exchange(100 + i, 40)).flat(),
    ]);
    expect(prune(long, priced(400_000), emptyState(), { idleMs: 1_000 }).changes.length).toBeGreaterThan(0);
  });

  it('prefers the moment when the cache is cold anyway', () => {
    const transcript = appendMessages(near, exchange(500));
    expect(ready(prepare(transcript, emptyState(), policy, { idleMs: 1_000 })).checkpoint).toBeUndefined();
    const cold = ready(prepare(transcript, emptyState(), policy, { idleMs: 301_000 }));
    expect(cold.report.wasPruned).toBe(true);
    expect(cold.report.cost?.breakEvenSteps).toBe(0);
  });

  it('does nothing at a cold moment that the user has switched off or held', () => {
    const off = prepare(near, emptyState(), { ...policy, auto: false }, { idleMs: 301_000 });
    const held = prepare(near, { ...emptyState(), isAutoCompactionPaused: true }, policy, {
      idleMs: 301_000,
    });
    expect([ready(off).changes, ready(held).changes]).toEqual([[], []]);
  });
});
