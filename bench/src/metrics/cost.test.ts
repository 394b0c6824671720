import { describe, expect, it } from 'vitest';
import { anthropicPrices, createPrefixMatch, flatPrices, stepCost } from './cost.ts';
import type { SentMessage } from './cost.ts';

const message = (text: string, tokens: number): SentMessage => ({
  message: { role: 'user', content: text },
  tokens,
});

describe('stepCost', () => {
  it('pays a tenth for what is cached and a quarter more for what is not', () => {
    expect(stepCost(1_000, 600, anthropicPrices)).toBeCloseTo(60 + 500);
  });

  it('is the tokens sent where there is no cache', () => {
    expect(stepCost(1_000, 600, flatPrices)).toBe(1_000);
  });
});

describe('createPrefixMatch', () => {
  const match = createPrefixMatch();
  const former = [message('a', 10), message('b', 20), message('c', 40)];

  it('adds up the common messages, by value too', () => {
    expect(match(former, [message('a', 10), message('b', 20), message('x', 5)])).toEqual({
      cachedTokens: 30,
      isWhole: false,
    });
  });

  it('knows a request that only grew', () => {
    expect(match(former, [...former, message('d', 5)])).toEqual({ cachedTokens: 70, isWhole: true });
  });

  it('ends at the end of a shorter request', () => {
    expect(match(former, former.slice(0, 1))).toEqual({ cachedTokens: 10, isWhole: false });
  });

  it('finds nothing behind the first difference', () => {
    expect(match(former, [message('x', 1), ...former])).toEqual({ cachedTokens: 0, isWhole: false });
  });
});
