import type { WireLimits } from '@throughline/core';

/** Most of one image. */
export interface ImageLimits {
  readonly maxBytes: number;
  readonly maxEdgePx: number;
}

/** What the models of a provider take, whatever the format could say. */
export interface ProviderMedia {
  readonly takes: (mediaType: string) => boolean;
  readonly image?: ImageLimits;
  /** Of a whole request. What is above is refused, now and in every later step. */
  readonly request?: WireLimits;
}

const commonImages = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/*'];
const googleImages = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
  'image/*',
]);
const pdf = 'application/pdf';

/** 5 MiB of base64 and 8 000 px a side; what is above is refused, and the request with it, now and in every later step. */
const anthropicImage: ImageLimits = { maxBytes: (5 * 1024 * 1024 * 3) / 4, maxEdgePx: 8_000 };

// Of models with a larger window Anthropic takes 600; so many of any size are above the bytes.
const anthropicRequest: WireLimits = { maxMedia: 100, maxBytes: 32_000_000 };
const openaiRequest: WireLimits = { maxMedia: 500, maxBytes: 50_000_000 };

const byProvider: ReadonlyMap<string, ProviderMedia> = new Map<string, ProviderMedia>([
  ['anthropic', { takes: oneOf([...commonImages, pdf]), image: anthropicImage, request: anthropicRequest }],
  ['openai', { takes: oneOf([...commonImages, pdf]), request: openaiRequest }],
  ['google', { takes: takenByGoogle }],
]);

const images: ProviderMedia = { takes: oneOf(commonImages) };

/**
 * By provider of the catalogue, as far as their guides say (autumn 2026). Others take images at most; of a model that
 * nobody knows only its format tells.
 */
export function providerMedia(provider: string): ProviderMedia {
  return byProvider.get(provider) ?? images;
}

function oneOf(types: readonly string[]): (mediaType: string) => boolean {
  const set = new Set(types);
  return (mediaType) => set.has(mediaType);
}

function takenByGoogle(mediaType: string): boolean {
  const isImage = googleImages.has(mediaType);
  return isImage || mediaType === pdf || /^(audio|video)\//.test(mediaType);
}
