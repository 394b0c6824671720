import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMiddle, cutTo, padEnd, padStart, widthOf } from './fit-text.ts';
import { printable } from './printable.ts';

const texts = fc.string({ unit: 'grapheme', maxLength: 60 }).map(printable);
const widths = fc.integer({ min: 1, max: 40 });

describe('cutTo', () => {
  it('never gives more columns than asked for, in any script', () => {
    fc.assert(fc.property(texts, widths, (text, columns) => widthOf(cutTo(text, columns)) <= columns));
  });

  it('leaves a text alone that fits', () => {
    expect(cutTo('日本語', 6)).toBe('日本語');
    expect(cutTo('日本語', 5)).toBe('日本…');
  });

  it('takes as long for a huge text as for a small one', () => {
    expect(cutTo('x'.repeat(10_000_000), 5)).toBe('xxxx…');
  });
});

describe('cutMiddle', () => {
  it('never gives more columns than asked for, in any script', () => {
    fc.assert(fc.property(texts, widths, (text, columns) => widthOf(cutMiddle(text, columns)) <= columns));
  });

  it('keeps both ends', () => {
    expect(cutMiddle('src/components/deep/button.tsx', 15)).toBe('src/com…ton.tsx');
  });
});

describe('padding', () => {
  it('counts columns, not characters', () => {
    expect(padEnd('日本', 6)).toBe('日本  ');
    expect(padStart('日本', 6)).toBe('  日本');
  });
});
