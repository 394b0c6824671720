import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithinLimits, truncateOutput } from './truncate-output.ts';

const text = fc.string({ unit: 'binary', maxLength: 60 }).map((one) => one.toWellFormed());
const limit = fc.option(fc.integer({ min: 1, max: 20 }), { nil: Infinity });

describe('truncateOutput', () => {
  it('returns a text within the limits as it is', () => {
    expect(truncateOutput('a\nb', { maxOutputChars: 3, maxLines: 2, maxLineLength: 1 })).toBe('a\nb');
  });

  it('keeps head and tail and says how much is left out', () => {
    const text = `start${'x'.repeat(1_000)}end`;
    const limited = truncateOutput(text, { maxOutputChars: 100 });
    expect(limited).toMatch(/^start/);
    expect(limited).toMatch(/end$/);
    expect(limited).toContain('908 characters left out');
  });

  it('cuts long lines and counts lines that are left out', () => {
    const text = Array.from({ length: 10 }, (_, index) => `${index}${'y'.repeat(50)}`).join('\n');
    const limited = truncateOutput(text, { maxLines: 4, maxLineLength: 10 });
    expect(limited.split('\n')).toHaveLength(5);
    expect(limited).toContain('6 lines left out');
  });

  it('takes the line break at the end for the end of a line, not for a line', () => {
    expect(truncateOutput('a\nb\n', { maxLines: 2 })).toBe('a\nb\n');
    expect(truncateOutput('a\nb\nc\nd\n', { maxLines: 3 })).toBe('a\nb\nc\n[… 1 lines left out …]\n');
  });

  it('never cuts a code point in two', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 20, maxLength: 400 }),
        fc.integer({ min: 4, max: 60 }),
        (text, max) => {
          expect(truncateOutput(text, { maxOutputChars: max, maxLineLength: max }).isWellFormed()).toBe(true);
        },
      ),
    );
  });

  it('returns what is within the limits as it is, and never splits a character', () => {
    fc.assert(
      fc.property(text, limit, limit, limit, (whole, maxOutputChars, maxLines, maxLineLength) => {
        const limits = { maxOutputChars, maxLines, maxLineLength };
        const cut = truncateOutput(whole, limits);
        expect(cut.isWellFormed()).toBe(true);
        if (isWithinLimits(whole, limits)) expect(cut).toBe(whole);
        else expect(cut).toContain('left out');
      }),
    );
  });

  it('keeps head and tail of lines, and says what to do about the others', () => {
    expect(truncateOutput('1\n2\n3\n4\n5\n', { maxLines: 2 }, { hint: '; ask' })).toBe(
      '1\n2\n[… 3 lines left out; ask …]\n',
    );
    expect(truncateOutput('1\n2\n3\n4\n5', { maxMatches: 4 })).toBe('1\n2\n3\n[… 1 lines left out …]\n5');
  });

  it('says on a line of its own what is left out of the whole, where that is asked for', () => {
    const notes = { hint: '; ask', isOnOwnLine: true };
    expect(truncateOutput('0123456789', { maxOutputChars: 5 }, notes)).toBe(
      '012\n[… 5 characters left out; ask …]\n89',
    );
    expect(truncateOutput('0123456789', { maxOutputChars: 5 })).toBe('012[… 5 characters left out …]89');
  });
});
