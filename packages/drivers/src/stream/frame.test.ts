import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SurrogateJoiner, wellFormed } from './frame.ts';

describe('SurrogateJoiner', () => {
  it('gives whole characters whatever the cuts, and all of the text', () => {
    const units = fc.array(fc.constantFrom('a', '\ud83d', '\ude00', '😀', '日'), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(units, { maxLength: 12 }), (pieces) => {
        const texts = pieces.map((piece) => piece.join(''));
        const joiner = new SurrogateJoiner();
        const told = [...texts.map((text) => joiner.join('a', text)), joiner.rest('a')];
        expect(told.every((text) => text.isWellFormed())).toBe(true);
        expect(told.join('')).toBe(texts.join('').toWellFormed());
      }),
    );
  });

  it('keeps the halves of different texts apart', () => {
    const joiner = new SurrogateJoiner();
    expect(joiner.join('a', '\ud83d')).toBe('');
    expect(joiner.join('b', '\ude00')).toBe('\ufffd');
    expect(joiner.join('a', '\ude00')).toBe('😀');
    expect(joiner.rest('a')).toBe('');
  });
});

describe('wellFormed', () => {
  it('gives the same object back where nothing is broken', () => {
    const value = { a: ['😀', { b: 1, c: null }], bytes: new Uint8Array(3) };
    expect(wellFormed(value)).toBe(value);
  });

  it('mends texts and names, and keeps what is beside them', () => {
    const kept = { deep: ['x'] };
    const value = { list: ['a\ud83d', kept], ['k\ude00']: 1 };
    const mended = wellFormed(value);
    expect(mended).toEqual({ list: ['a\ufffd', kept], ['k\ufffd']: 1 });
    expect(mended.list[1]).toBe(kept);
    expect(value.list[0]).toBe('a\ud83d');
  });
});
