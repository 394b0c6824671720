import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines, splitValues } from './lines.ts';
import type { TextLine } from './lines.ts';

async function* pieces(text: string, cuts: readonly number[]): AsyncGenerator<string> {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  let from = 0;
  for (const place of [...places, text.length]) {
    yield text.slice(from, place);
    from = place;
  }
}

async function linesOf(text: string, cuts: readonly number[] = [], maxChars = 1_000): Promise<TextLine[]> {
  const lines: TextLine[] = [];
  const tooLong = (line: number): Error => new Error(`line ${line} is too long`);
  for await (const line of splitLines(pieces(text, cuts), maxChars, tooLong)) lines.push(line);
  return lines;
}

describe('splitLines', () => {
  it('gives the same lines however the text is cut into pieces', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\n', '\r\n', 'é', '\uFEFF') });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat()), async (content, cuts) => {
        expect(await linesOf(content, cuts)).toEqual(await linesOf(content));
      }),
    );
  });

  it('loses nothing but a byte order mark', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r') }), async (content) => {
        const lines = await linesOf(content);
        expect(lines.map(({ text, end }) => text + end).join('')).toBe(content);
      }),
    );
  });

  it('counts from 1 and keeps what ended each line', async () => {
    expect(await linesOf('\uFEFFa\r\n\nb')).toEqual([
      { number: 1, text: 'a', end: '\r\n' },
      { number: 2, text: '', end: '\n' },
      { number: 3, text: 'b', end: '' },
    ]);
  });

  it('ends with an error at a line that is too long', async () => {
    await expect(linesOf('short\n' + 'x'.repeat(50), [10, 20, 30, 40], 20)).rejects.toThrow(
      'line 2 is too long',
    );
  });
});

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
