import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Hash, hashText } from './hash.ts';

function hashOf(value: unknown): string {
  const hash = new Hash();
  hash.value(value);
  return hashText(hash.lanes());
}

/** JSON with sorted keys: what two values must share to be one. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

// Few keys and letters, so that values that are nearly the same come up.
const { value: nearlyAlike } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('', 'a', 'b', 'ab', '1', 'null', '[]', 0, 1, null, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('value'), { maxKeys: 3 }),
  ),
}));

describe('Hash', () => {
  it('tells values apart exactly where their JSON differs, whatever the order of keys', () => {
    fc.assert(
      fc.property(nearlyAlike, nearlyAlike, (one, other) => {
        expect(hashOf(one) === hashOf(other)).toBe(canonical(one) === canonical(other));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [[['a'], 'b'], [['a', 'b']]],
    [[[], 'a'], [['a']]],
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [{ a: { b: 1 } }, { a: {}, b: 1 }],
    [[1], ['1']],
    [[null], ['null']],
    [[], {}],
    [[[]], []],
  ])('tells %j from %j', (one, other) => {
    expect(hashOf(one)).not.toBe(hashOf(other));
  });

  it('knows a value again that went through JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(hashOf(JSON.parse(JSON.stringify(value)))).toBe(hashOf(value));
      }),
    );
    const live = {
      url: new URL('https://a.example/1'),
      at: new Date(0),
      gone: undefined,
      list: [undefined, NaN],
    };
    expect(hashOf(JSON.parse(JSON.stringify(live)))).toBe(hashOf(live));
    const bytes = { data: Buffer.from('not a text') };
    expect(hashOf(JSON.parse(JSON.stringify(bytes)))).toBe(hashOf(bytes));
  });

  it('counts every character of a text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 2_000 }),
        fc.nat(),
        fc.nat(0xffff),
        (text, where, code) => {
          const index = where % text.length;
          const edited = text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1);
          expect(hashOf(edited) === hashOf(text)).toBe(edited === text);
        },
      ),
    );
  });

  it.each([
    ['two letters change places', 'ab', 'ba'],
    ['high bits change in two places', 'AxAy', '\u8041x\u8041y'],
    ['the last letter changes', 'x'.repeat(5_000) + 'a', 'x'.repeat(5_000) + 'b'],
  ])('notices that %s', (_what, one, other) => {
    expect(hashOf(one)).not.toBe(hashOf(other));
  });

  it('makes no two of many short texts the same', () => {
    const seen = new Set<string>();
    for (let index = 0; index < 200_000; index += 1) seen.add(hashOf(`call_${index}`));
    expect(seen.size).toBe(200_000);
  });

  it('counts every byte', () => {
    const bytes = (last: number): Uint8Array => Uint8Array.from([1, 2, 3, last]);
    expect(hashOf(bytes(4))).not.toBe(hashOf(bytes(5)));
    expect(hashOf(bytes(4).buffer)).toBe(hashOf(bytes(4)));
  });

  it('leaves keys out only where it is told to', () => {
    const without = (value: unknown): string => {
      const hash = new Hash();
      hash.value(value, new Set(['mark']));
      return hashText(hash.lanes());
    };
    expect(without({ a: 1, mark: 1 })).toBe(without({ a: 1 }));
    expect(without({ a: { mark: 1 } })).not.toBe(without({ a: {} }));
  });

  it('ends on any nesting, on circles, and on what is shared many times', () => {
    let deep: unknown = 'a';
    let other: unknown = 'b';
    for (let depth = 0; depth < 50_000; depth += 1) [deep, other] = [[deep], { a: other }];
    expect(hashOf(deep)).not.toBe(hashOf(other));
    const circle: Record<string, unknown> = { name: 'a' };
    circle['self'] = circle;
    expect(hashOf(circle)).not.toBe(hashOf({ ...circle, name: 'b' }));
    let shared: unknown = 'a';
    for (let level = 0; level < 60; level += 1) shared = [shared, shared];
    expect(hashOf(shared)).toBe(hashOf([(shared as unknown[])[0], (shared as unknown[])[0]]));
    const leaf = { a: 1 };
    expect(hashOf([leaf, leaf])).toBe(hashOf([{ a: 1 }, { a: 1 }]));
  });

  it('takes an object whose JSON form throws for what it holds', () => {
    const broken = {
      a: 1,
      toJSON: () => {
        throw new Error('no');
      },
    };
    expect(hashOf([broken])).toBe(hashOf([{ a: 1 }]));
  });
});
