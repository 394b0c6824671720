import { describe, expect, it } from 'vitest';
import { toBase64, imageSize } from './media.ts';

import fc from 'fast-check';

const size = (...bytes: number[]): unknown => imageSize(`data:${toBase64(new Uint8Array(bytes))}`, 5);
const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

describe('imageSize', () => {
  it('reads the header of each format', () => {
    expect(
      size(0x89, ...ascii('PNG\r\n\x1a\n'), 0, 0, 0, 13, ...ascii('IHDR'), 0, 0, 2, 0, 0, 0, 1, 4),
    ).toEqual({
      widthPx: 512,
      heightPx: 260,
    });
    expect(size(...ascii('GIF89a'), 3, 1, 4, 0)).toEqual({ widthPx: 259, heightPx: 4 });
    expect(size(0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 17, 8, 1, 0, 2, 0, 3)).toEqual({
      widthPx: 512,
      heightPx: 256,
    });
    const riff = [...ascii('RIFF'), 0, 0, 0, 0, ...ascii('WEBP')];
    expect(size(...riff, ...ascii('VP8X'), 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 19, 0, 0)).toEqual({
      widthPx: 10,
      heightPx: 20,
    });
  });

  it('knows nothing of other formats and broken headers', () => {
    expect(size(...ascii('%PDF-1.7 and so on'))).toBeUndefined();
    expect(size(0x89, ...ascii('PNG'))).toBeUndefined();
    expect(size(0xff, 0xd8, 0xff, 0xe0, 0, 0)).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => void imageSize(text, 0)));
  });
});

describe('toBase64', () => {
  it('agrees with the platform on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      }),
    );
    const large = new Uint8Array(100_000).map((_, index) => index % 251);
    expect(toBase64(large)).toBe(Buffer.from(large).toString('base64'));
  });
});
