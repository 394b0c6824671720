import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorAt } from './json-error-at.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('jsonErrorAt', () => {
  it('finds no error in JSON, however it is laid out', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, '\t'), (text, space) => {
        expect(jsonErrorAt(` ${JSON.stringify(JSON.parse(text), null, space)}\n`)).toBe(-1);
      }),
    );
  });

  it('finds an error wherever JSON.parse does', () => {
    const text = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', ',', ':', '"', 'a', '1', ' ', '\\', 'n', 'null'),
    });
    fc.assert(
      fc.property(text, (content) => {
        expect(jsonErrorAt(content) === -1).toBe(parses(content));
      }),
    );
  });

  it('says where: at the first wrong character, or at the end', () => {
    expect(jsonErrorAt('{"a": oops}')).toBe(6);
    expect(jsonErrorAt('{"a": 1} x')).toBe(9);
    expect(jsonErrorAt('{"a": "b\nc"}')).toBe(8);
    expect(jsonErrorAt('{"a": [1, 2')).toBe(11);
    expect(jsonErrorAt('["cut o')).toBe(7);
    expect(jsonErrorAt('')).toBe(0);
  });
});
