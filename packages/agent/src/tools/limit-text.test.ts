import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadTail, isWithin, limitText } from './limit-text.ts';

const text = fc.string({ unit: 'binary', maxLength: 60 }).map((one) => one.toWellFormed());
const limit = fc.option(fc.integer({ min: 1, max: 20 }), { nil: Infinity });

describe('limitText', () => {
  it('returns what is within the limits as it is, and never splits a character', () => {
    fc.assert(
      fc.property(text, limit, limit, limit, (whole, maxOutputChars, maxLines, maxLineLength) => {
        const limits = { maxOutputChars, maxLines, maxLineLength };
        const cut = limitText(whole, limits, '');
        expect(cut.isWellFormed()).toBe(true);
        if (isWithin(whole, limits)) expect(cut).toBe(whole);
        else expect(cut).toContain('left out');
      }),
    );
  });

  it('keeps head and tail of lines', () => {
    expect(limitText('1\n2\n3\n4\n5\n', { maxLines: 2 }, '; ask')).toBe(
      '1\n2\n[… 3 lines left out; ask …]\n',
    );
    expect(limitText('1\n2\n3\n4\n5', { maxMatches: 4 }, '')).toBe('1\n2\n3\n[… 1 lines left out …]\n5');
  });
});

describe('HeadTail', () => {
  it('holds the same as the whole text cut at once, however the text comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 9 })), fc.nat(30), (pieces, maxChars) => {
        const parts = new HeadTail(maxChars);
        for (const piece of pieces) parts.add(piece);
        const whole = pieces.join('');
        const head = whole.slice(0, Math.ceil(maxChars * 0.6));
        const tail = whole.slice(whole.length - Math.floor(maxChars * 0.4));
        const expected =
          whole.length <= maxChars ? whole : `${head}<${whole.length - head.length - tail.length}>${tail}`;
        expect(parts.text((chars) => `<${chars}>`)).toBe(expected);
        expect(parts.isCut).toBe(whole.length > maxChars);
      }),
    );
  });
});
