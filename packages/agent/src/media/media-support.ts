import { findModel } from '@throughline/core';
import { fileTypeOf } from '../tools/files/file-type.ts';
import {
  describeMedia,
  mediaFacts,
  mediaKind,
  mediaNote,
  mediaWhere,
  replaceMedia,
  sizeText,
} from './session-media.ts';
import type { Codec } from '@throughline/core';
import type { NeutralMedia, NeutralPart, SessionMessage, Synthetic } from '@throughline/core/codec';
import type { WireLimits } from '@throughline/core/types';
import type { ModelDriver } from '@throughline/ports';
import type {
  MediaFacts,
  MediaKind,
  MediaPlace,
  MediaPosition,
  MediaWhere,
  SessionMedia,
} from './session-media.ts';

/**
 * Messages that are sent together, as a model can take them: media of results that its format takes only from a user
 * stand in a message behind the last of them, what it takes nowhere becomes a note. Every result comes before anything
 * else, so nothing stands between a call and its result.
 *
 * @param onLeft told of each that is left out
 */
export function adaptMessages(
  messages: readonly SessionMessage[],
  support: MediaSupport,
  onLeft: (left: UnsupportedMedia) => void,
): readonly SessionMessage[] {
  const adapted: SessionMessage[] = [];
  const lifted: SessionMedia[] = [];
  let resultsEnd = 0;
  for (const message of messages) {
    const one = liftMedia(message, support);
    const { message: shown, left } = withoutUnsupported(one.message, support);
    for (const media of left) onLeft(media);
    for (const media of one.lifted) lifted.push(media);
    adapted.push(shown);
    if (shown.role === 'tool') resultsEnd = adapted.length;
  }
  if (lifted.length === 0) return adapted;
  const behind = withoutUnsupported(showLifted(lifted), support);
  for (const media of behind.left) onLeft(media);
  return [...adapted.slice(0, resultsEnd), behind.message, ...adapted.slice(resultsEnd)];
}

/** A message without the media that its format takes only from a user, and those media. */
interface LiftedMedia {
  readonly message: SessionMessage;
  readonly lifted: readonly SessionMedia[];
}

/**
 * Takes the media out of a result whose format (Chat Completions) has no place for them there, so that they can stand
 * in a user message behind it. A text names each in its place. The same object where there is nothing to take out.
 */
function liftMedia(message: SessionMessage, support: MediaSupport): LiftedMedia {
  const lifted: SessionMedia[] = [];
  const shown = replaceMedia(message, (media, { place }) => {
    if (place !== 'result' || !isForUser(media.mediaType, support)) return media;
    lifted.push(media);
    return { type: 'text', text: `[${describeMedia(mediaFacts(media))}: shown in the next message]` };
  });
  return { message: shown, lifted };
}

function isForUser(mediaType: string, { takes, says }: MediaSupport): boolean {
  return takes(mediaType) && !says(mediaType, 'base64', 'result') && says(mediaType, 'base64', 'user');
}

/** The user message that shows them. */
function showLifted(lifted: readonly SessionMedia[]): SessionMessage {
  const text = 'What the results above show, in their order:';
  return { id: '', role: 'user', parts: [{ type: 'text', text }, ...lifted] };
}

/** Why: the model, its provider or format, the place, no data, data of something else, a limit. */
type UnsupportedReason = 'no-images' | 'type' | 'place' | 'url' | 'broken' | 'bytes' | 'pixels';

/** Media that are left out of a request: what they are, where they stand, and why. Plain JSON. */
export interface UnsupportedMedia extends MediaFacts, MediaPosition {
  readonly messageId: string;
  readonly kind: MediaKind;
  readonly reason: UnsupportedReason;
  /** A sentence for people. */
  readonly error: string;
}

/**
 * The message with a text in the place of all media that the model cannot take; the text names them and says why. Parts
 * and pieces keep their positions; the same message and support give the same bytes. The same object where the model
 * takes everything. Sizes are known of media whose data stand in the message: load them before.
 */
export function withoutUnsupported(
  message: SessionMessage,
  support: MediaSupport,
): { readonly message: SessionMessage; readonly left: readonly UnsupportedMedia[] } {
  const left: UnsupportedMedia[] = [];
  const shown = replaceMedia(message, (media, position) => {
    const facts = mediaFacts(media);
    const refusal = refusalOf(facts, { where: mediaWhere(media), place: position.place }, support);
    if (!refusal) return media;
    const { reason, why } = refusal;
    const said = { kind: mediaKind(facts.mediaType), reason, error: `${describeMedia(facts)}: ${why}` };
    left.push({ messageId: message.id, ...position, ...facts, ...said });
    return mediaNote(facts, why);
  });
  return { message: shown, left };
}

interface Refusal {
  readonly reason: UnsupportedReason;
  readonly why: string;
}

interface Standing {
  readonly where: MediaWhere;
  readonly place: MediaPlace;
}

function refusalOf(
  facts: MediaFacts,
  { where, place }: Standing,
  support: MediaSupport,
): Refusal | undefined {
  const { mediaType } = facts;
  const source = where.type === 'elsewhere' ? 'url' : 'base64';
  const kind = mediaKind(mediaType);
  if (kind === 'image' && !support.takesImages)
    return { reason: 'no-images', why: 'this model takes no images' };
  if (!support.takes(mediaType)) return { reason: 'type', why: `this model takes no ${mediaType}` };
  if (!support.says(mediaType, source, place)) {
    if (support.says(mediaType, 'base64', place)) return { reason: 'url', why: 'it is taken only as data' };
    if (!support.says(mediaType, 'base64', 'user'))
      return { reason: 'type', why: `the model's API takes no ${mediaType}` };
    return { reason: 'place', why: `the model's API takes no media in ${placeNames[place]}` };
  }
  if (where.type === 'inline' && isFalseImage(mediaType, where.base64))
    return { reason: 'broken', why: 'its data are no image' };
  return kind === 'image' && support.image ? aboveLimit(facts, support.image) : undefined;
}

const placeNames: Readonly<Record<MediaPlace, string>> = {
  system: 'system messages',
  user: 'user messages',
  assistant: 'assistant messages',
  result: 'results of tools',
};

function aboveLimit(facts: MediaFacts, { maxBytes, maxEdgePx }: ImageLimits): Refusal | undefined {
  const { sizeBytes = 0, widthPx = 0, heightPx = 0 } = facts;
  if (sizeBytes > maxBytes)
    return { reason: 'bytes', why: `an image may have ${sizeText(maxBytes)} at most` };
  if (Math.max(widthPx, heightPx) <= maxEdgePx) return undefined;
  const why = `it has ${widthPx} × ${heightPx} pixels, and ${maxEdgePx} a side are the most`;
  return { reason: 'pixels', why };
}

/** Whether it holds images or files, in a result too. */
export function holdsMedia({ parts }: SessionMessage): boolean {
  return parts.some(
    (part) =>
      part.type === 'media' || (part.type === 'result' && part.content.some(({ type }) => type === 'media')),
  );
}

const knownByTheirHead: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const headCharacters = 24;

/**
 * Whether data that are called one of the common images are none of them: an error page, a cut download. One such image
 * makes a provider refuse the request, and every later one of the session.
 */
function isFalseImage(mediaType: string, base64: string): boolean {
  if (!knownByTheirHead.has(mediaType)) return false;
  return fileTypeOf(Buffer.from(base64.slice(0, headCharacters), 'base64')).type !== 'image';
}

/** How media come: their data in the message, or only a URL. */
type MediaSourceType = 'base64' | 'url';

/** What a model takes, as far as it is known. */
interface MediaSupport {
  readonly takesImages: boolean;
  /** Whether the model, or its provider, takes media of this type at all. */
  readonly takes: (mediaType: string) => boolean;
  /** Whether the format of its messages can say media of this type in this place. */
  readonly says: (mediaType: string, source: MediaSourceType, place: MediaPlace) => boolean;
  readonly image?: ImageLimits;
}

/**
 * What the catalogue, the provider and the format know. A model that is in no catalogue takes images, and whatever else
 * its format can say.
 *
 * @param known what was learned of the model itself: from its server, or from a request that was refused.
 */
export function mediaSupportOf(
  driver: ModelDriver,
  known: { readonly takesImages?: boolean } = {},
): MediaSupport {
  const { codec, model } = driver;
  const entry = findModel(model)?.entry;
  const { takes, image } = mediaOf(driver);
  const takesImages = known.takesImages ?? entry?.hasImages ?? true;
  // Pages of a PDF are shown to a model as images.
  const needsImages = (mediaType: string): boolean =>
    mediaKind(mediaType) === 'image' || mediaType === 'application/pdf';
  return {
    takesImages,
    takes: (mediaType) => (takesImages || !needsImages(mediaType)) && takes(mediaType),
    says: (mediaType, source, place) => says(codec, { mediaType, source, place }),
    ...(image && { image }),
  };
}

interface Asked {
  readonly mediaType: string;
  readonly source: MediaSourceType;
  readonly place: MediaPlace;
}

const sources: Readonly<Record<MediaSourceType, NeutralMedia['source']>> = {
  base64: { type: 'base64', data: 'AAAA' },
  url: { type: 'url', url: 'https://example.org/a' },
};

/** The codec itself is asked to write such media: what it loses it cannot say. */
function says(codec: Codec, { mediaType, source, place }: Asked): boolean {
  if (place === 'system' || !codec.rules.mediaIn[place]) return false;
  const media: NeutralMedia = { type: 'media', mediaType, source: sources[source] };
  const result: NeutralPart = { type: 'result', callId: 'a', name: 'a', content: [media], isError: false };
  const item: Synthetic =
    place === 'result'
      ? { role: 'tool', kind: 'converted', parts: [result] }
      : { role: place, kind: 'converted', parts: [media] };
  return codec.compose(item).losses.length === 0;
}

/** What is known of a model by its provider; of one that is in no catalogue, what its format tells. */
export function mediaOf({ model, codec }: Pick<ModelDriver, 'model' | 'codec'>): ProviderMedia {
  const entry = findModel(model)?.entry;
  if (entry) return providerMedia(entry.provider);
  return { ...providerMedia(codec.name === 'anthropic' ? 'anthropic' : ''), takes: () => true };
}

/** Most of one image. */
interface ImageLimits {
  readonly maxBytes: number;
  readonly maxEdgePx: number;
}

/** What the models of a provider take, whatever the format could say. */
interface ProviderMedia {
  readonly takes: (mediaType: string) => boolean;
  readonly image?: ImageLimits;
  /** What a whole request may weigh. What is above is refused, now and in every later step. */
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
function providerMedia(provider: string): ProviderMedia {
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
