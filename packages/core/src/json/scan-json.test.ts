import { describe, expect, it } from 'vitest';
import { splitJsonArray } from './scan-json.ts';

import fc from 'fast-check';

describe('splitJsonArray', () => {
  const elements = (text: string, path: readonly (string | number)[]): string[] | undefined =>
    splitJsonArray(text, path)?.items.map(({ start, end }) => text.slice(start, end));

  it('finds the elements of the document, of a member and of an element', () => {
    expect(elements(' [1 , {"a":"]"},"x\\"y" ] ', [])).toEqual(['1', '{"a":"]"}', '"x\\"y"']);
    expect(elements('{"messages":[],"messages":[ {} ]}', ['messages'])).toEqual(['{}']);
    expect(elements('{"a":[0,{"b":[true]}]}', ['a', 1, 'b'])).toEqual(['true']);
    expect(elements('[]', [])).toEqual([]);
  });

  it('agrees with JSON.parse on any array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat(4), (items, indent) => {
        const text = JSON.stringify({ x: 1, messages: items }, undefined, indent);
        expect(elements(text, ['messages'])?.map((item) => JSON.parse(item) as unknown)).toEqual(
          JSON.parse(JSON.stringify(items)),
        );
      }),
    );
  });

  it('returns undefined where there is no array or the brackets do not close', () => {
    for (const [text, ...path] of [
      ['{"a":1}', 'a'],
      ['{"a":1}', 'b'],
      ['{}', 'b'],
      ['', 'a'],
      ['[1,2'],
      ['[1 2]'],
      ['["x]'],
      ['nonsense'],
    ] as const) {
      expect(splitJsonArray(text, path), text).toBeUndefined();
    }
  });

  it('survives 100 000 nested brackets', () => {
    const deep = '['.repeat(100_000);
    expect(splitJsonArray(deep, [])).toBeUndefined();
    expect(elements(`[${deep}${']'.repeat(100_000)},1]`, [])?.at(-1)).toBe('1');
  });
});
