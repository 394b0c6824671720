import { base64Media, mediaAtUrl, mediaPart } from '@throughline/core';
import { sanitiseText } from '../tools/limit-text.ts';
import { blobHash } from './blob-reference.ts';
import type { SessionMedia } from './session-media.ts';

/** What is known of media, whatever a tool, a server or a store has written there: names are short and of one line. */
export interface MediaFacts {
  readonly mediaType: string;
  readonly filename?: string;
  /** Known where the data stand in the message; so are the pixels of common images. */
  readonly sizeBytes?: number;
  readonly widthPx?: number;
  readonly heightPx?: number;
}

/** Where the data are: in the message as base64, in the store, or elsewhere. */
export type MediaWhere =
  | { readonly type: 'inline'; readonly base64: string }
  | { readonly type: 'stored'; readonly hash: string }
  | { readonly type: 'elsewhere' };

/** Type, name and size of media. Nothing is copied or decoded but the head of an image. */
export function mediaFacts(media: SessionMedia): MediaFacts {
  const named = namesOf(media);
  const where = mediaWhere(media);
  if (where.type !== 'inline') return named;
  const { sizeBytes, widthPx, heightPx } = mediaPart([], { ...named, bytes: base64Media(where.base64) });
  return {
    ...named,
    sizeBytes,
    ...(widthPx === undefined ? {} : { widthPx }),
    ...(heightPx === undefined ? {} : { heightPx }),
  };
}

/** Media without any source have empty data. */
export function mediaWhere(media: SessionMedia): MediaWhere {
  const { data, url }: { readonly data?: unknown; readonly url?: unknown } = media.source ?? {};
  if (typeof data === 'string') return { type: 'inline', base64: data };
  if (typeof url !== 'string') return { type: 'inline', base64: '' };
  const hash = blobHash(url);
  if (hash !== undefined) return { type: 'stored', hash };
  const { bytes } = mediaAtUrl(url, '');
  return bytes.type === 'base64'
    ? { type: 'inline', base64: bytes.text.slice(bytes.start) }
    : { type: 'elsewhere' };
}

function namesOf(media: SessionMedia): Pick<MediaFacts, 'mediaType' | 'filename'> {
  const mediaType = oneLine(media.mediaType);
  const filename = oneLine(media.filename);
  return {
    mediaType: mediaType === '' ? 'application/octet-stream' : mediaType,
    ...(filename === '' ? {} : { filename }),
  };
}

const longestName = 255;

function oneLine(text: unknown): string {
  if (typeof text !== 'string') return '';
  return sanitiseText(text.slice(0, longestName))
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
