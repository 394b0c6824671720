import type { MediaPart } from '../transcript/entry.ts';

/** How a provider prices an image of known size. */
type ImagePricing =
  /** Scaled into 2 048 px and to a short edge of 768 px, then tiles of 512 px (OpenAI's older models). */
  | { readonly type: 'tiles'; readonly baseTokens: number; readonly tileTokens: number }
  /** Patches of 32 px, at most `maxPatches` (else scaled down), times `factor` (OpenAI's newer models). */
  | { readonly type: 'patches'; readonly maxPatches: number; readonly factor: number }
  /** Width × height ÷ 750 after scaling the long edge to `maxEdgePx`, at most `maxTokens` (Anthropic). */
  | { readonly type: 'area'; readonly maxEdgePx: number; readonly maxTokens: number }
  /** `tileTokens` up to 384 × 384 px, else per tile of about 768 px (Google). */
  | { readonly type: 'crops'; readonly tileTokens: number }
  /** The same for every image. */
  | { readonly type: 'fixed'; readonly tokens: number };

/** What media cost with one family of models. Plain data: a host may bring its own. */
export interface MediaPricing {
  readonly image: ImagePricing;
  /** An image whose size in pixels is not known. */
  readonly unknownImageTokens: number;
  /** A page of a PDF: its text and, where the provider adds one, its picture. */
  readonly pageTokens: number;
  readonly audioTokensPerSecond: number;
  readonly videoTokensPerSecond: number;
}

/** The name of the formula that prices images and files; the formulas are `mediaPricings`. */
export type MediaFamily =
  | 'openai-tiles'
  | 'openai-tiles-mini'
  | 'openai-tiles-5'
  | 'openai-patches'
  | 'openai-patches-mini'
  | 'openai-patches-nano'
  | 'anthropic'
  | 'anthropic-large'
  | 'gemini'
  | 'gemini-3'
  | 'open-weights';

const openai = { pageTokens: 1_100, audioTokensPerSecond: 10, videoTokensPerSecond: 300 };
const google = { pageTokens: 258, audioTokensPerSecond: 32, videoTokensPerSecond: 263 };
const anthropic = { pageTokens: 2_250, audioTokensPerSecond: 10, videoTokensPerSecond: 300 };

/** The published formulas (vision guides of OpenAI, Anthropic and Google, autumn 2026). */
export const mediaPricings: Readonly<Record<MediaFamily, MediaPricing>> = {
  'openai-tiles': {
    image: { type: 'tiles', baseTokens: 85, tileTokens: 170 },
    unknownImageTokens: 765,
    ...openai,
  },
  'openai-tiles-mini': {
    image: { type: 'tiles', baseTokens: 2_833, tileTokens: 5_667 },
    unknownImageTokens: 25_501,
    ...openai,
  },
  'openai-tiles-5': {
    image: { type: 'tiles', baseTokens: 70, tileTokens: 140 },
    unknownImageTokens: 630,
    ...openai,
  },
  'openai-patches': {
    image: { type: 'patches', maxPatches: 2_500, factor: 1.2 },
    unknownImageTokens: 1_230,
    ...openai,
  },
  'openai-patches-mini': {
    image: { type: 'patches', maxPatches: 1_536, factor: 1.62 },
    unknownImageTokens: 1_660,
    ...openai,
  },
  'openai-patches-nano': {
    image: { type: 'patches', maxPatches: 1_536, factor: 2.46 },
    unknownImageTokens: 2_520,
    ...openai,
  },
  anthropic: {
    image: { type: 'area', maxEdgePx: 1_568, maxTokens: 1_600 },
    unknownImageTokens: 1_400,
    ...anthropic,
  },
  'anthropic-large': {
    image: { type: 'area', maxEdgePx: 2_576, maxTokens: 4_784 },
    unknownImageTokens: 2_500,
    ...anthropic,
  },
  gemini: {
    image: { type: 'crops', tileTokens: 258 },
    unknownImageTokens: 1_032,
    ...google,
  },
  'gemini-3': {
    image: { type: 'fixed', tokens: 1_120 },
    unknownImageTokens: 1_120,
    ...google,
    pageTokens: 560,
  },
  'open-weights': {
    image: { type: 'area', maxEdgePx: 1_568, maxTokens: 1_600 },
    unknownImageTokens: 1_024,
    ...openai,
  },
};

/** For models nobody knows: the one that errs on the high side of the usual ones. */
export const defaultMediaPricing: MediaPricing = mediaPricings.anthropic;

// What files of unknown length hold: the middle of ordinary ones. A file known only by a reference counts as 5 pages.
const bytesPerPage = 50_000;
const unknownPages = 5;
const audioBytesPerSecond = 16_000;
const videoBytesPerSecond = 250_000;
const unknownSeconds = 60;
const bytesPerTextToken = 4;
const lowDetailEdgePx = 512;

type MediaSize = Pick<MediaPart, 'mediaType' | 'sizeBytes' | 'widthPx' | 'heightPx' | 'detail'>;

/**
 * Tokens of an image or file by the provider's formula, never by its base64 text. Unknown sizes get the documented
 * default of the family; hostile numbers (negative, not finite) count as unknown.
 */
export function countMedia(media: MediaSize, pricing: MediaPricing): number {
  const kind = media.mediaType.split('/')[0]?.toLowerCase() ?? '';
  const sizeBytes = positive(media.sizeBytes);
  if (kind === 'image') return countImage(media, pricing);
  if (kind === 'audio')
    return Math.ceil(seconds(sizeBytes, audioBytesPerSecond) * pricing.audioTokensPerSecond);
  if (kind === 'video')
    return Math.ceil(seconds(sizeBytes, videoBytesPerSecond) * pricing.videoTokensPerSecond);
  if (kind === 'text' && sizeBytes > 0) return Math.ceil(sizeBytes / bytesPerTextToken);
  const pages = sizeBytes > 0 ? Math.max(1, Math.round(sizeBytes / bytesPerPage)) : unknownPages;
  return pages * pricing.pageTokens;
}

function seconds(sizeBytes: number, bytesPerSecond: number): number {
  return sizeBytes > 0 ? Math.max(1, sizeBytes / bytesPerSecond) : unknownSeconds;
}

function countImage(media: MediaSize, { image, unknownImageTokens }: MediaPricing): number {
  const widthPx = positive(media.widthPx ?? 0);
  const heightPx = positive(media.heightPx ?? 0);
  const isLow = media.detail === 'low';
  if (isLow && image.type === 'tiles') return image.baseTokens;
  if (widthPx === 0 || heightPx === 0) return unknownImageTokens;
  const edgePx = isLow && image.type === 'patches' ? lowDetailEdgePx : Infinity;
  const [width, height] = scaleInto(widthPx, heightPx, edgePx);
  return Math.ceil(imageFormulas[image.type](width, height, image as never));
}

type FormulaOf<Type extends ImagePricing['type']> = (
  widthPx: number,
  heightPx: number,
  pricing: Extract<ImagePricing, { readonly type: Type }>,
) => number;

const imageFormulas: { readonly [Type in ImagePricing['type']]: FormulaOf<Type> } = {
  tiles(widthPx, heightPx, { baseTokens, tileTokens }) {
    const [width, height] = scaleInto(widthPx, heightPx, 2_048);
    const shrink = Math.min(1, 768 / Math.min(width, height));
    return baseTokens + tileTokens * Math.ceil((width * shrink) / 512) * Math.ceil((height * shrink) / 512);
  },
  patches(widthPx, heightPx, { maxPatches, factor }) {
    return Math.min(maxPatches, Math.ceil(widthPx / 32) * Math.ceil(heightPx / 32)) * factor;
  },
  area(widthPx, heightPx, { maxEdgePx, maxTokens }) {
    const [width, height] = scaleInto(widthPx, heightPx, maxEdgePx);
    return Math.min(maxTokens, (width * height) / 750);
  },
  crops(widthPx, heightPx, { tileTokens }) {
    if (widthPx <= 384 && heightPx <= 384) return tileTokens;
    const edgePx = Math.min(768, Math.max(256, Math.floor(Math.min(widthPx, heightPx) / 1.5)));
    return tileTokens * Math.min(64, Math.ceil(widthPx / edgePx) * Math.ceil(heightPx / edgePx));
  },
  fixed: (_widthPx, _heightPx, { tokens }) => tokens,
};

function scaleInto(widthPx: number, heightPx: number, edgePx: number): readonly [number, number] {
  const shrink = Math.min(1, edgePx / Math.max(widthPx, heightPx));
  return [widthPx * shrink, heightPx * shrink];
}

function positive(value: number): number {
  return Number.isFinite(value) && value >= 1 ? value : 0;
}
