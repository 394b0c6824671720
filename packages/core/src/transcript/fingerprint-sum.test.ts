import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintRange, fingerprintSum, isFingerprintSum } from './fingerprint.ts';

const parts = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 12 });

describe('fingerprintSum', () => {
  it('is the same in whatever order and in however many steps its parts come', () => {
    fc.assert(
      fc.property(parts, fc.nat(), (all, where) => {
        const cut = where % all.length;
        const begun = fingerprintSum(all.slice(0, cut));
        expect(fingerprintSum(all.slice(cut), [begun])).toBe(fingerprintSum(all.toReversed()));
      }),
    );
  });

  it('tells one part more, one less and another one apart', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const sum = fingerprintSum(all);
        expect(fingerprintSum(all.slice(1))).not.toBe(sum);
        expect(fingerprintSum([...all, 'one more'])).not.toBe(sum);
        expect(fingerprintSum([`${all[0]}#`, ...all.slice(1)])).not.toBe(sum);
      }),
    );
  });

  it('is never taken for the fingerprint of a run', () => {
    expect(isFingerprintSum(fingerprintSum(['a']))).toBe(true);
    expect(isFingerprintSum(fingerprintRange([]))).toBe(false);
  });

  it('adds up what is no sum without a fault', () => {
    expect(fingerprintSum(['a'], ['', '~.~', 'x'])).toMatch(/^[\da-z]+\.[\da-z]+$/);
  });
});
