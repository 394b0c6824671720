import { describe, expect, it } from 'vitest';
import { charactersEstimator } from './estimator.ts';

describe('charactersEstimator', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['four', 1],
    ['fives', 2],
    ['x'.repeat(400), 100],
  ])('divides the characters of %j by four and rounds up', (text, tokens) => {
    expect(charactersEstimator.count(text)).toBe(tokens);
  });
});
