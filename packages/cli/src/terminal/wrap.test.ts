import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from './printable.ts';
import { widthOf } from './fit-text.ts';
import { wrap } from './wrap.ts';

describe('wrap', () => {
  it('breaks at spaces and cuts words that are longer than a line', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('keeps the indentation of the first line on all', () => {
    expect(wrap('  one two three four five six', 22)).toEqual(['  one two three four', '  five six']);
  });

  it('keeps within the columns and loses nothing but spaces', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 200 }).map(printable);
    fc.assert(
      fc.property(texts, fc.integer({ min: 24, max: 100 }), (text, columns) => {
        const lines = wrap(text, columns);
        expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});
