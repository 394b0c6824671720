import { describe, expect, it } from 'vitest';
import { looksCut } from './wrappers.ts';

describe('looksCut', () => {
  it.each([
    ['far less than was sent', 5_900, 10_000, true],
    ['less than was sent, as estimates are off', 6_100, 10_000, false],
    ['as much as was sent', 10_000, 10_000, false],
    ['far less of a request that is small beside the window', 100, 3_900, false],
    ['nothing', 0, 10_000, false],
  ])('sees that a server counted %s', (_, promptTokens, estimateTokens, isCut) => {
    expect(looksCut({ promptTokens, estimateTokens }, 8_000)).toBe(isCut);
  });

  it('needs half of the smallest window in use where none is known', () => {
    expect(looksCut({ promptTokens: 100, estimateTokens: 1_999 })).toBe(false);
    expect(looksCut({ promptTokens: 100, estimateTokens: 2_001 })).toBe(true);
  });

  it.each([
    ['grows with the request', 8_900, 10_000, false],
    ['stays where it was while the request grows', 8_000, 10_000, true],
    ['falls while the request grows', 7_000, 10_000, true],
    ['stays where it was while the request hardly grows', 8_000, 9_200, false],
    ['is larger than was sent', 10_100, 10_000, false],
  ])('sees a count that %s', (_, promptTokens, estimateTokens, isCut) => {
    const before = { promptTokens: 8_000, estimateTokens: 9_000 };
    expect(looksCut({ promptTokens, estimateTokens }, 64_000, before)).toBe(isCut);
  });

  it('believes a count above the estimate, though it has not grown: it was the estimate that was wrong', () => {
    const before = { promptTokens: 12_000, estimateTokens: 9_000 };
    expect(looksCut({ promptTokens: 12_000, estimateTokens: 10_000 }, 64_000, before)).toBe(false);
    expect(looksCut({ promptTokens: 9_900, estimateTokens: 10_000 }, 64_000, before)).toBe(true);
  });
});
