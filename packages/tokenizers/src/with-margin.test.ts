import { describe, expect, it } from 'vitest';
import { withMargin } from './create-bpe-estimator.ts';

const perCharacter = { name: 'per-character', count: (text: string) => text.length };

describe('withMargin', () => {
  it('adds the share to each count and says so in its name', () => {
    const estimator = withMargin(perCharacter, 0.25);
    expect(estimator.count('12345678')).toBe(10);
    expect(estimator.name).toBe('per-character + 25 %');
  });

  it('adds a tenth by default', () => {
    expect(withMargin(perCharacter).count('1234567890')).toBeCloseTo(11);
  });

  it('still counts 0 for the empty text', () => {
    expect(withMargin(perCharacter).count('')).toBe(0);
  });
});
