import { findModel } from '@throughline/core';
import { mediaKind } from './media-kind.ts';
import { mediaOf } from './media-of.ts';
import type { Codec, NeutralMedia, NeutralPart, Synthetic } from '@throughline/core';
import type { ImageLimits } from './provider-media.ts';
import type { MediaPlace } from './replace-media.ts';
import type { ModelDriver } from '@throughline/ports';

/** How media come: their data in the message, or only a URL. */
type MediaSourceType = 'base64' | 'url';

/** What a model takes, as far as it is known. */
export interface MediaSupport {
  readonly provider: string;
  readonly model: string;
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
    provider: driver.provider,
    model,
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
