import { describeMedia } from './describe-media.ts';
import { isFalseImage } from './is-false-image.ts';
import { mediaFacts, mediaWhere } from './media-facts.ts';
import { mediaKind } from './media-kind.ts';
import { mediaNote } from './media-note.ts';
import { replaceMedia } from './replace-media.ts';
import { sizeText } from './size-text.ts';
import type { ImageLimits } from './provider-media.ts';
import type { MediaFacts, MediaWhere } from './media-facts.ts';
import type { MediaKind } from './media-kind.ts';
import type { MediaPlace, MediaPosition } from './replace-media.ts';
import type { MediaSupport } from './media-support-of.ts';
import type { SessionMessage } from '@throughline/core';

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
