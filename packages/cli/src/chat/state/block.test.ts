import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flow } from './block.ts';
import { printable, widthOf } from '../../terminal/text.ts';

describe('flow', () => {
  it('breaks at spaces and cuts what is longer than a line', () => {
    expect(flow('one two three', 8)).toEqual(['one two ', 'three']);
    expect(flow('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(flow('日本語です', 4)).toEqual(['日本', '語で', 'す']);
  });

  it('keeps every space', () => {
    expect(flow('  if (a)   b', 40)).toEqual(['  if (a)   b']);
    expect(flow('', 40)).toEqual(['']);
  });

  it('gives pieces that fit and are the line together', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 200 }).map(printable);
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 60 }), (text, columns) => {
        const pieces = flow(text, columns);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(widthOf(piece.trimEnd())).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('never changes an earlier piece when the line grows', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 120 }).map(printable);
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 4, max: 40 }), (text, more, columns) => {
        const settled = flow(text, columns).slice(0, -1);
        const last = text.slice(settled.join('').length);
        expect([...settled, ...flow(last + more, columns)].join('')).toBe(text + more);
      }),
    );
  });

  it('takes a line of a million characters in linear time', () => {
    expect(flow('x'.repeat(1_000_000), 80)).toHaveLength(12_500);
    expect(flow('x '.repeat(500_000), 80)).toHaveLength(12_500);
  });
});
