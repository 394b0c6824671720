import { blobUrl } from './blob-reference.ts';
import { decodeBase64 } from './decode-base64.ts';
import { mediaFacts, mediaWhere } from './media-facts.ts';
import { mediaNote } from './media-note.ts';
import { mediaTypeOf } from './media-type-of.ts';
import type { ResultContent } from '../tools/tool.ts';

/** Stores bytes; resolves to their hash. */
export type Keep = (bytes: Uint8Array) => Promise<string>;

/**
 * The content of a result as it is stored: media that stand in it are kept beside it, and referred to. Data that are no
 * base64 become a text that says so. What does not change stays the same object, the list too.
 */
export async function keepMedia(
  content: readonly ResultContent[],
  keep: Keep,
): Promise<readonly ResultContent[]> {
  const kept: ResultContent[] = [];
  for (const one of content) kept.push(await keepOne(one, keep));
  return kept.every((one, index) => one === content[index]) ? content : kept;
}

async function keepOne(one: ResultContent, keep: Keep): Promise<ResultContent> {
  if (one.type !== 'media') return one;
  const where = mediaWhere(one);
  if (where.type !== 'inline') return one;
  const { mediaType, filename } = mediaFacts(one);
  const bytes = decodeBase64(where.base64);
  if (!bytes) {
    const facts = filename === undefined ? { mediaType } : { mediaType, filename };
    return mediaNote(facts, where.base64 === '' ? 'it is empty' : 'its data are broken');
  }
  const source = { type: 'url', url: blobUrl(await keep(bytes)) } as const;
  const named = filename === undefined ? {} : { filename };
  return { ...one, mediaType: mediaTypeOf(mediaType, bytes), source, ...named };
}
