import { costInWords, formatCost, roundedCost } from './prices.ts';
import { describe, expect, it } from 'vitest';

const usd = { unit: 'usd' } as const;
const tokens = { unit: 'input-tokens' } as const;

describe('formatCost', () => {
  it('gives dollars in the digits that say something', () => {
    const shown = [1_234.5, 12.345, 0.1234, 0.00123, 0, -0.5].map((cost) => formatCost(cost, usd));
    expect(shown).toEqual(['$1,235', '$12.35', '$0.123', '$0.0012', '$0.00', '-$0.500']);
  });

  it('gives a number of tokens where no price is known', () => {
    expect(formatCost(1_234_567.4, tokens)).toBe('1,234,567');
    expect([costInWords(10, tokens), costInWords(1, usd)]).toEqual(['10 input tokens', '$1.00']);
  });
});

describe('roundedCost', () => {
  it('takes the noise of arithmetic away', () => {
    expect(roundedCost(0.1 + 0.2, usd)).toBe(0.3);
    expect(roundedCost(41.6, tokens)).toBe(42);
  });
});
