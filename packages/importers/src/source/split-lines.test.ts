import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from './split-lines.ts';
import type { TextLine } from './split-lines.ts';

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
