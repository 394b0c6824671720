import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestUnbroken, sampleOpaque } from './create-bpe-estimator.ts';

const text = fc
  .array(fc.tuple(fc.constantFrom('a', ' ', 'xyz', '\n'), fc.integer({ min: 1, max: 20_000 })), {
    maxLength: 6,
  })
  .map((runs) => runs.map(([part, times]) => part.repeat(times)).join(''));

describe('sampleOpaque', () => {
  it('covers the whole length', () => {
    fc.assert(
      fc.property(text, (given) => {
        const covered = sampleOpaque(given).reduce(
          (sum, sample) => sum + sample.text.length * sample.weight,
          0,
        );
        expect(covered).toBeCloseTo(given.length, 3);
      }),
    );
  });

  it('keeps text with white space whole', () => {
    const given = 'ordinary words and more of them\n'.repeat(2_000);
    expect(sampleOpaque(given)).toEqual([{ text: given, weight: 1 }]);
  });

  it('samples a long unbroken stretch between text that it keeps', () => {
    const samples = sampleOpaque(`before ${'x'.repeat(longestUnbroken * 10)} after`);
    expect(samples[0]).toEqual({ text: 'before ', weight: 1 });
    expect(samples.at(-1)).toEqual({ text: ' after', weight: 1 });
    expect(samples).toHaveLength(18);
  });
});
