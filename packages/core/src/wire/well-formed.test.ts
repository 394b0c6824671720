import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMalformed, makeWellFormed } from './well-formed.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', '\uD83D', '\uDE00', '圧'), maxLength: 6 });
const anyValue = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(anyText, fc.integer(), fc.array(tie('node')), fc.dictionary(anyText, tie('node'))),
})).node;

describe('makeWellFormed', () => {
  it('leaves nothing that findMalformed finds and keeps what is well-formed as the same object', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const before = JSON.stringify(value);
        const repaired = makeWellFormed(value);
        expect(findMalformed(repaired)).toBeUndefined();
        expect(repaired === value).toBe(findMalformed(value) === undefined);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  it('names the place of the first fault and copies only the way to it', () => {
    const value = { kept: { a: 1 }, list: ['x', { text: 'cut \uD83D' }] };
    expect(findMalformed(value)).toEqual(['list', 1, 'text']);
    const repaired = makeWellFormed(value) as typeof value;
    expect(repaired.list[1]).toEqual({ text: 'cut \uFFFD' });
    expect(repaired.kept).toBe(value.kept);
  });

  it('passes over raw bytes and bears any depth', () => {
    const bytes = new Uint8Array(5_000_000);
    expect(makeWellFormed({ bytes })).toEqual({ bytes });
    let deep: unknown = '\uD83D';
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(makeWellFormed(deep)).toBe(deep);
  });
});
