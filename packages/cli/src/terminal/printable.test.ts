import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, printable, printableLines } from './printable.ts';

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
