import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeJson } from './write-json.ts';

/** A value that is too deep for `JSON.stringify`. */
function nested(value: unknown, depth = 1_000): unknown {
  let deep = value;
  for (let level = 0; level < depth; level += 1) deep = level % 2 === 0 ? [deep] : { a: deep };
  return deep;
}

describe('writeJson', () => {
  it('writes what JSON.stringify writes, however it is indented', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', '  ', '\t'), (value, indent) => {
        expect(writeJson(value, indent)).toBe(JSON.stringify(value, null, indent));
      }),
    );
  });

  it('writes the same with its own stack as with that of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', '  '), (value, indent) => {
        const text = writeJson([nested(0), value], indent);
        const shallow = JSON.stringify([0, value], null, indent);
        expect(text.endsWith(shallow.slice(shallow.indexOf('0') + 1))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('writes a value that is nested fifty thousand levels deep, so that it is read back', () => {
    const text = `{"b":${'[{"a":'.repeat(25_000)}"x"${'}]'.repeat(25_000)},"c":1}`;
    expect(writeJson(JSON.parse(text))).toBe(text);
    const setOut = writeJson(JSON.parse(text), '  ');
    expect(setOut.length).toBeLessThan(text.length + 50_000);
    expect(writeJson(JSON.parse(setOut))).toBe(text);
  });

  it('leaves out what JSON has no text for, and asks what knows its own form', () => {
    const address = new URL('https://example.test/');
    const value = { a: undefined, b: [undefined, () => 1], c: Symbol('x'), d: address };
    expect(writeJson([value, nested(1)]).startsWith('[{"b":[null,null],"d":"https://example.test/"},')).toBe(
      true,
    );
    expect(writeJson(undefined)).toBe('null');
  });

  it('refuses a value that contains itself', () => {
    const self: unknown[] = [nested(1)];
    self.push(self);
    expect(() => writeJson(self)).toThrow(TypeError);
  });
});
