import { billOf } from './bill-of.ts';
import { describe, expect, it } from 'vitest';
import type { LoggedRequest } from './request-log.ts';
import type { Pricing } from '@throughline/core';

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
