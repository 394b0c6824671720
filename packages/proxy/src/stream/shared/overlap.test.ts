import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Overlap } from './overlap.ts';

function joined(before: string, pieces: readonly string[]): string {
  const overlap = new Overlap(before);
  return before + pieces.map((piece) => overlap.take(piece)).join('') + overlap.end();
}

const before = 'The harbour master counted eleven ships before the fog came in from the west';

describe('Overlap', () => {
  it.each([
    ['a few words', 'fog came in from the west, and then none.'],
    ['all of the text', `${before}, and then none.`],
    ['nothing', ', and then none.'],
  ])('takes away %s that the answer repeats', (_, answer) => {
    const expected = `${before}, and then none.`;
    expect(joined(before, [answer])).toBe(expected);
    expect(joined(before, answer.split(''))).toBe(expected);
    expect(joined(before, answer.split(/(?<= )/))).toBe(expected);
  });

  it('takes away a repetition that is all of the answer', () => {
    expect(joined(before, ['fog came in ', 'from the west'])).toBe(before);
  });

  it.each([
    ['a word or two', 'with the west', 'the west wind'],
    ['a ruler', `title\n${'-'.repeat(40)}`, '-'.repeat(30)],
    [
      'a phrase that the text has twice',
      `- look at the ledger\n${'- look at the ledger\n'}`,
      '- look at the ledger\n',
    ],
    ['a beginning that goes another way', `x ${before}`, 'The harbour master left.'],
  ])('leaves %s', (_, text, answer) => {
    expect(joined(text, [answer])).toBe(text + answer);
    expect(joined(text, answer.split(''))).toBe(text + answer);
  });

  it('holds text back only as long as it can be a repetition', () => {
    const overlap = new Overlap(before);
    expect(overlap.take('Another ')).toBe('Another ');
    const other = new Overlap(before);
    expect(other.take('The harbour master ')).toBe('');
    expect(other.take('slept')).toBe('The harbour master slept');
    expect(other.take('The')).toBe('The');
  });

  it('loses nothing of an answer that repeats nothing, and tells the same in any pieces', () => {
    const words = fc.array(fc.constantFrom('a', 'bc', ' ', '\n', 'def', '😀', '0'), { maxLength: 60 });
    fc.assert(
      fc.property(words, words, (text, answer) => {
        const whole = joined(text.join(''), [answer.join('')]);
        expect(joined(text.join(''), answer)).toBe(whole);
        // What is taken away stands in the text that is there.
        const told = whole.slice(text.join('').length);
        expect(answer.join('').endsWith(told)).toBe(true);
        const gone = answer.join('').slice(0, answer.join('').length - told.length);
        expect(gone === '' || gone.length >= 16).toBe(true);
        expect(text.join('').endsWith(gone)).toBe(true);
      }),
    );
  });
});
