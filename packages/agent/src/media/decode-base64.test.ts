import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { decodeBase64 } from './decode-base64.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });

describe('decodeBase64', () => {
  it('gives back what was encoded, padded or not, in either alphabet, in lines or not', () => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 76 }), (source, width) => {
        const padded = Buffer.from(source).toString('base64');
        const lines = padded.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
        for (const text of [
          padded,
          padded.replaceAll('=', ''),
          Buffer.from(source).toString('base64url'),
          lines,
        ])
          expect(decodeBase64(text)).toEqual(Buffer.from(source));
      }),
    );
  });

  it('takes nothing that is no base64, wherever the stray character stands', () => {
    const stray = fc.constantFrom('!', '%', '\0', '-–', 'é', '\uD800', '{', ',', '=A', '@blob:');
    fc.assert(
      fc.property(bytes, stray, fc.nat(), (source, character, at) => {
        const text = Buffer.from(source).toString('base64').replaceAll('=', '');
        const place = at % text.length;
        expect(decodeBase64(text.slice(0, place) + character + text.slice(place))).toBeUndefined();
      }),
    );
  });

  it.each([
    '',
    '=',
    '==',
    '====',
    'A',
    'A=',
    'A===',
    'AAAAA',
    ' ',
    'data:image/png;base64,AAAA',
    'AAAA====A',
  ])('takes %j for no base64', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });

  it('takes a very long text', () => {
    expect(decodeBase64('A'.repeat(40_000_000))?.length).toBe(30_000_000);
  });
});
