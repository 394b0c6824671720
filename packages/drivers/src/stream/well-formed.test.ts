import { describe, expect, it } from 'vitest';
import { wellFormed } from './well-formed.ts';

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
