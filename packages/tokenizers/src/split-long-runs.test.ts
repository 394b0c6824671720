import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestStretch, splitLongRuns } from './create-bpe-estimator.ts';

const text = fc
  .array(
    fc.tuple(
      fc.constantFrom('a', ' ', '-', '7', '漢', '。', '😀', 'é', '\n'),
      fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 700 })),
    ),
  )
  .map((runs) => runs.map(([character, times]) => character.repeat(times)).join(''));

describe('splitLongRuns', () => {
  it('loses nothing', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(splitLongRuns(given).join('')).toBe(given);
      }),
    );
  });

  it('never cuts a surrogate pair', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(splitLongRuns(given).every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it('leaves no run of letters, marks or white space longer than the longest stretch', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const piece of splitLongRuns(given)) {
          for (const run of piece.match(/\p{L}+|\s+|[^\s\p{L}\p{N}]+/gu) ?? []) {
            expect(run.length).toBeLessThanOrEqual(longestStretch);
          }
        }
      }),
    );
  });

  it('cuts marks of several scripts that take turns', () => {
    const pieces = splitLongRuns('。-'.repeat(5_000));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(longestStretch);
  });

  it('returns text without long runs whole', () => {
    const given = 'a sentence of ordinary words\n'.repeat(100);
    expect(splitLongRuns(given)).toEqual([given]);
  });

  it('cuts behind punctuation where one is near', () => {
    const [first] = splitLongRuns(`${'漢'.repeat(200)}。${'字'.repeat(200)}`);
    expect(first?.endsWith('。')).toBe(true);
  });
});
