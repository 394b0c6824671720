import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitValues } from './split-values.ts';

const values = (text: string): unknown[] => splitValues(text).values.map(({ value }) => value);

describe('splitValues', () => {
  it('finds the values again, however they are laid out and whatever stands between them', () => {
    const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
    const between = fc.constantFrom('', ' ', '\n', ',\n', '\r\n', '\0\0', '\u001E');
    fc.assert(
      fc.property(fc.array(fc.tuple(value, between)), fc.constantFrom(0, 2), (pieces, indent) => {
        const text = pieces.map(([one, gap]) => JSON.stringify(one, undefined, indent) + gap).join('');
        expect(values(text)).toEqual(pieces.map(([one]) => JSON.parse(JSON.stringify(one)) as unknown));
        expect(splitValues(text).restAt).toBe(-1);
      }),
    );
  });

  it('keeps the text of each value as it stands', () => {
    expect(splitValues('{"n": 1.0}{"n":2}').values).toEqual([
      { start: 0, text: '{"n": 1.0}', value: { n: 1 } },
      { start: 10, text: '{"n":2}', value: { n: 2 } },
    ]);
  });

  it.each([
    ['{"a":1}{"b":', 1, 7],
    ['{"a":1} oops', 1, 8],
    ['{"a":1}2', 1, 7],
    ['oops', 0, 0],
    ['{"a" {"b":1}', 0, 0],
    ['', 0, -1],
  ])('says where %j is no value any more', (text, count, restAt) => {
    expect(splitValues(text)).toMatchObject({ restAt });
    expect(values(text)).toHaveLength(count);
  });
});
