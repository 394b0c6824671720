import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countMedia, defaultMediaPricing, mediaPricings } from './media-tokens.ts';

const image = (widthPx: number, heightPx: number, detail?: string) =>
  ({
    mediaType: 'image/png',
    sizeBytes: 1,
    widthPx,
    heightPx,
    ...(detail !== undefined && { detail }),
  }) as const;

describe('countMedia', () => {
  it.each([
    // The examples of the providers' own guides.
    ['openai-tiles', image(1_024, 1_024), 765],
    ['openai-tiles', image(2_048, 4_096), 1_105],
    ['openai-tiles', image(4_096, 8_192, 'low'), 85],
    ['openai-patches-mini', image(1_024, 1_024), 1_659],
    ['anthropic', image(1_092, 1_092), 1_590],
    ['anthropic', image(200, 200), 54],
    ['anthropic', image(8_000, 8_000), 1_600],
    ['gemini', image(300, 300), 258],
    ['gemini', image(960, 540), 6 * 258],
    ['gemini-3', image(4_000, 3_000), 1_120],
  ] as const)('prices by %s: %j', (family, media, tokens) => {
    expect(countMedia(media, mediaPricings[family])).toBe(tokens);
  });

  it('gives the documented default where the size is not known', () => {
    const unknown = { mediaType: 'image/*', sizeBytes: 0 };
    for (const pricing of Object.values(mediaPricings)) {
      expect(countMedia(unknown, pricing)).toBe(pricing.unknownImageTokens);
    }
  });

  it('prices a PDF by its pages, a recording by its seconds, a text file by its bytes', () => {
    const count = (mediaType: string, sizeBytes: number): number =>
      countMedia({ mediaType, sizeBytes }, mediaPricings.gemini);
    expect(count('application/pdf', 500_000)).toBe(10 * 258);
    expect(count('application/pdf', 0)).toBe(5 * 258);
    expect(count('audio/mp3', 16_000 * 90)).toBe(90 * 32);
    expect(count('video/mp4', 250_000 * 4)).toBe(4 * 263);
    expect(count('text/csv', 4_000)).toBe(1_000);
  });

  it('is a finite number above 0 for anything', () => {
    const media = fc.record({
      mediaType: fc.oneof(
        fc.string(),
        fc.constantFrom('image/png', 'audio/wav', 'video/mp4', 'text/plain', ''),
      ),
      sizeBytes: fc.double(),
      widthPx: fc.double(),
      heightPx: fc.double(),
      detail: fc.constantFrom('low', 'high', 'auto'),
    });
    fc.assert(
      fc.property(media, fc.constantFrom(...Object.values(mediaPricings)), (given, pricing) => {
        const tokens = countMedia(given, pricing);
        expect(Number.isNaN(tokens)).toBe(false);
        expect(tokens).toBeGreaterThan(0);
      }),
    );
  });

  it('has a default among the families', () => {
    expect(Object.values(mediaPricings)).toContain(defaultMediaPricing);
  });
});
