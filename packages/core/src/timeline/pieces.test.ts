import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedPieces, shownPieces } from './pieces.ts';

const pieces = [
  { text: 'First sentence. ', score: 1 },
  { text: 'Filler that says nothing. ', score: 0.1 },
  { text: 'The cause was the cache. ', score: 2 },
  { text: 'More filler. ', score: 0.2 },
  { text: 'Last sentence.', score: 1 },
];

describe('shownPieces', () => {
  it('shows everything where there is room', () => {
    expect(shownPieces(pieces, 1_000)).toBe(pieces.map(({ text }) => text).join(''));
  });

  it('shows the best pieces in their order, with a mark where others lay between', () => {
    expect(shownPieces(pieces, 66)).toBe('First sentence. … The cause was the cache. … Last sentence.');
  });

  it('shows head and tail of a piece that is too long by itself', () => {
    const text = shownPieces([{ text: `begin ${'x'.repeat(900)} end`, score: 1 }], 300);
    expect(text).toMatch(/^begin x+….*end$/);
    expect(text.length).toBeLessThanOrEqual(300);
  });

  it('leaves out what says nothing by itself unless all is shown', () => {
    const list = [
      { text: '}\n', score: -1 },
      { text: 'return fooBar;\n', score: 0.5 },
      { text: '}\n', score: -1 },
    ];
    expect(shownPieces(list, 18)).toBe('… return fooBar;');
    expect(shownPieces(list, 100)).toBe('}\nreturn fooBar;\n}');
  });

  const anyPieces = fc.array(
    fc.record({
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      score: fc.double({ min: -1, max: 3, noNaN: true }),
    }),
    { maxLength: 12 },
  );

  it('never shows more than it may, and shows the same of what was bounded before', () => {
    fc.assert(
      fc.property(anyPieces, fc.integer({ min: 0, max: 300 }), (list, most) => {
        const shown = shownPieces(list, most);
        expect(shown.length).toBeLessThanOrEqual(most);
        expect(shownPieces(boundedPieces(list, most), most).length).toBeLessThanOrEqual(Math.max(0, most));
      }),
    );
  });
});
