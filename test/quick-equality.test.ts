import { describe, expect, it } from 'vitest';

describe('equality that Node sees first', () => {
  it('finds every difference that vitest finds, at any depth', () => {
    const deep = (leaf: unknown): object => ({ list: [{ a: 1 }, { b: [leaf] }] });
    for (const [one, other] of [
      [1, 2],
      [0, -0],
      ['1', 1],
      [null, undefined],
      [[1, 2], [1]],
      [new Map([[1, { a: 1 }]]), new Map([[1, { a: 2 }]])],
      [new Error('one'), new Error('other')],
    ]) {
      expect(() => expect(deep(one)).toEqual(deep(other))).toThrow();
      expect(() => expect(deep(one)).toStrictEqual(deep(other))).toThrow();
      expect(() => expect(deep(one)).toMatchObject(deep(other))).toThrow();
    }
    expect(() => expect({ a: 1 }).toStrictEqual({ a: 1, b: undefined })).toThrow();
    expect(() => expect({ a: 1 }).not.toEqual({ a: 1 })).toThrow();
  });

  it('leaves to the matchers what only they call equal', () => {
    expect({ a: 1, b: undefined }).toEqual({ a: 1 });
    expect({ a: [{ b: 1, c: 2 }] }).toMatchObject({ a: [{ b: 1 }] });
    expect({ a: [{ b: 'word' }] }).toEqual({ a: [{ b: expect.stringContaining('or') }] });
    expect(() => expect({ a: 'x' }).toEqual({ a: expect.any(Number) })).toThrow();
  });
});
