import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadTail } from './output-text.ts';

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
