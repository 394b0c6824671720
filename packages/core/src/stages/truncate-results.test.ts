import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimitsOf, truncateOutput } from './truncate-results.ts';

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

  it('knows the limits of a tool whatever the case of its name', () => {
    expect(defaultLimitsOf('Bash')).toEqual({ maxOutputChars: 30_000 });
    expect(defaultLimitsOf('Read').maxLines).toBe(2_000);
    expect(defaultLimitsOf(undefined)).toEqual({ maxOutputChars: 120_000 });
  });
});
