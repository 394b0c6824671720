import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import {
  cutMiddle,
  cutTo,
  jsonText,
  padEnd,
  padStart,
  printable,
  printableLines,
  widthOf,
  wrap,
} from './text.ts';

describe('printable', () => {
  it('shows escape sequences instead of sending them', () => {
    expect(printable('\u001b[31mred\u001b[0m\u0007')).toBe('␛[31mred␛[0m␇');
  });

  it('makes one line of several', () => {
    expect(printable('a\r\nb\tc')).toBe('a  b c');
  });

  it('leaves no control character, reordering mark or lone surrogate in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = printable(text);
        expect(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(shown)).toBe(false);
      }),
    );
  });

  it('keeps ordinary text of any script as it is', () => {
    const text = 'naïve 日本語 – “ok” 👩‍💻';
    expect(printable(text)).toBe(text);
  });

  it('keeps the lines of a text of several lines', () => {
    expect(printableLines('a\n\tb\r\nc\u009b2J')).toEqual(['a', '  b', 'c\ufffd2J']);
  });
});

describe('jsonText', () => {
  it('is JSON of the same value without characters that a terminal obeys', () => {
    const value = { text: 'a\u009b2J\u202eb\u001b[0m' };
    expect(JSON.parse(jsonText(value))).toEqual(value);
    expect(/[\p{Cc}\u202e]/u.test(jsonText(value).replaceAll('\n', ''))).toBe(false);
  });
});

const texts = fc.string({ unit: 'grapheme', maxLength: 60 }).map(printable);
const widths = fc.integer({ min: 1, max: 40 });

describe('widthOf', () => {
  it('is what the tables of all scripts say, also where it does without them', () => {
    const marks = fc.constantFrom('\u0301', '\ufe0f', '\u200d', '\u20e3', '\u00ad', '日');
    const western = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code));
    const mixed = fc.array(fc.oneof({ weight: 9, arbitrary: western }, marks)).map((parts) => parts.join(''));
    fc.assert(fc.property(mixed.map(printable), (text) => widthOf(text) === stringWidth(text)));
    for (let code = 0x20; code <= 0xff; code += 1) {
      const text = printable(String.fromCharCode(code));
      expect([code, widthOf(text)]).toEqual([code, stringWidth(text)]);
    }
  });
});

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
