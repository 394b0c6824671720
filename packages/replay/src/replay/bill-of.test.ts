import { describe, expect, it } from 'vitest';
import { call, planOf, result, user, viewOf } from '../../test/test-views.ts';
import { billOf, createRequestLog } from './bill-of.ts';
import type { Pricing } from '@throughline/core';
import type { StepView } from '../metrics/metric.ts';
import type { LoggedRequest } from './bill-of.ts';

const prices = { input: 1e6, cacheRead: 1e5, cacheWrite: 2e6, output: 5e6 };
const automatic: Pricing = {
  prices: { ...prices, cacheWrite: prices.input },
  cache: { kind: 'automatic', lifetimeMs: 1_000 },
};
const marked: Pricing = { prices, cache: { kind: 'marked', lifetimeMs: 1_000 } };

function request(
  tokens: number | undefined,
  repeatedTokens = 0,
  more: Partial<LoggedRequest> = {},
): LoggedRequest {
  return { tokens, repeatedTokens, isBreak: false, isCompaction: false, asked: [], ...more };
}

describe('billOf', () => {
  it('charges what is new in full and what the request before had at the price of the cache', () => {
    const bill = billOf([request(100), request(150, 100)], automatic);
    expect(bill).toMatchObject({ inputTokens: 250, cachedTokens: 100, asked: 0 });
    expect(bill.total).toBeCloseTo(100 + 50 + 10);
  });

  it('charges for writing into the cache where that has a price', () => {
    expect(billOf([request(100), request(150, 100)], marked).total).toBeCloseTo(200 + 100 + 10);
  });

  it('finds nothing in a cache after a pause longer than its lifetime', () => {
    const after = (gapMs: number): number =>
      billOf([request(100), request(100, 100, { gapMs })], automatic).total;
    expect([after(999), after(1_000)]).toEqual([110, 200]);
  });

  it('adds what a model was asked, uncached, apart', () => {
    const asked = [{ inputTokens: 30, outputTokens: 2 }];
    expect(billOf([request(100, 0, { asked })], marked)).toMatchObject({ asked: 40, total: 240 });
  });

  it('charges nothing for what could not be sent', () => {
    expect(billOf([request(undefined)], automatic)).toEqual({
      total: 0,
      asked: 0,
      inputTokens: 0,
      cachedTokens: 0,
    });
  });
});

const messages = [
  user('Please do the work.'),
  call('a', { path: 'x' }),
  result('a', 'some output'),
  call('b', { path: 'y' }),
  result('b', 'more output'),
  call('c', { path: 'z' }),
];
const plan = planOf(messages);
const textTokens = (text: string): number => text.length;

function logged(views: readonly StepView[]) {
  const log = createRequestLog({ textTokens, outsideTokens: 100 });
  for (const view of views) log.add(view);
  return log.requests;
}

function viewAt(index: number, sent: readonly unknown[], more: Parameters<typeof viewOf>[3] = {}): StepView {
  const step = plan.steps[index];
  if (!step) throw new Error('Expected a step.');
  return viewOf(plan, step, sent, more);
}

describe('createRequestLog', () => {
  it('counts system text and tools in every request, and as repeated in all but the first', () => {
    const [first, second] = logged([viewAt(0, messages.slice(0, 1)), viewAt(1, messages.slice(0, 3))]);
    const tokens = first?.tokens ?? 0;
    expect(first).toMatchObject({ repeatedTokens: 0, isBreak: false });
    expect(tokens).toBeGreaterThan(100);
    expect(second).toMatchObject({ repeatedTokens: tokens, isBreak: false, isCompaction: false });
  });

  it('sees a break, a compaction, what it costs and what a model was asked', () => {
    const passCost = { rewriteUsd: 1, summariserUsd: 0, savedPerStepUsd: 1, breakEvenSteps: 1 };
    const summaries = [{ instructions: '12', conversation: '345', answer: '6789' }];
    const [, second] = logged([
      viewAt(1, messages.slice(0, 3)),
      viewAt(2, [messages[0], user('Record.')], { isCompaction: true, passCost, summaries }),
    ]);
    expect(second).toMatchObject({
      isBreak: true,
      isCompaction: true,
      passCost,
      asked: [{ inputTokens: 5, outputTokens: 4 }],
    });
    // The first message is still the same.
    expect(second?.repeatedTokens).toBeGreaterThan(100);
  });

  it('compares with the last request that was sent', () => {
    const [, unsent, last] = logged([
      viewAt(0, messages.slice(0, 1)),
      { ...viewAt(1, []), sent: undefined },
      viewAt(2, messages.slice(0, 5)),
    ]);
    expect(unsent).toMatchObject({ tokens: undefined, repeatedTokens: 0, asked: [] });
    expect(last?.isBreak).toBe(false);
    expect(last?.repeatedTokens).toBeGreaterThan(100);
  });
});
