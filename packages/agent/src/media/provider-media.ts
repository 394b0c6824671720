/** Most of one image. */
export interface ImageLimits {
  readonly maxBytes: number;
  readonly maxEdgePx: number;
}

/** What the models of a provider take, whatever the format could say. */
export interface ProviderMedia {
  readonly takes: (mediaType: string) => boolean;
  readonly image?: ImageLimits;
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

const byProvider: ReadonlyMap<string, ProviderMedia> = new Map([
  ['anthropic', { takes: oneOf([...commonImages, pdf]), image: anthropicImage }],
  ['openai', { takes: oneOf([...commonImages, pdf]) }],
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
