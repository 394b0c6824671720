import { mediaKind } from './media-kind.ts';
import { sizeText } from './size-text.ts';
import type { MediaFacts } from './media-facts.ts';

/** Media in a few words: `image "shot.png" (image/png, 3.1 MB)`. The same facts give the same words, always. */
export function describeMedia({ mediaType, filename, sizeBytes }: MediaFacts): string {
  const name = filename === undefined ? '' : ` "${filename}"`;
  const size = sizeBytes === undefined ? '' : `, ${sizeText(sizeBytes)}`;
  return `${mediaKind(mediaType)}${name} (${mediaType}${size})`;
}
