import { ContextError } from '@throughline/core';
import { mediaFacts, mediaWhere } from './media-facts.ts';
import { mediaNote } from './media-note.ts';
import { replaceMedia } from './replace-media.ts';
import type { SessionMessage } from '@throughline/core';

/** Bytes that were kept under a hash; `undefined` where there are none (any more). */
export type ReadBlob = (hash: string) => Promise<Uint8Array | undefined>;

/**
 * The message with its stored media in it, as a provider takes them. A blob that is gone or damaged becomes a text in
 * its place: parts and pieces keep their positions. The same object where nothing is stored beside it.
 */
export async function loadMedia(message: SessionMessage, read: ReadBlob): Promise<SessionMessage> {
  const hashes = new Set<string>();
  replaceMedia(message, (media) => {
    const where = mediaWhere(media);
    if (where.type === 'stored') hashes.add(where.hash);
    return media;
  });
  if (hashes.size === 0) return message;
  const loaded = new Map<string, Loaded>();
  await Promise.all([...hashes].map(async (hash) => loaded.set(hash, await load(hash, read))));
  return replaceMedia(message, (media) => {
    const where = mediaWhere(media);
    const found = where.type === 'stored' ? loaded.get(where.hash) : undefined;
    if (found === undefined) return media;
    if ('data' in found) return { ...media, source: { type: 'base64', data: found.data } };
    return mediaNote(mediaFacts(media), found.missing);
  });
}

type Loaded = { readonly data: string } | { readonly missing: string };

async function load(hash: string, read: ReadBlob): Promise<Loaded> {
  try {
    const bytes = await read(hash);
    if (!bytes) return { missing: 'it is no longer stored' };
    const { buffer, byteOffset, byteLength } = bytes;
    return { data: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
  } catch (error) {
    // One damaged file must not end every step of a session from now on; any other failure of a store may pass.
    if (ContextError.is(error, 'store-failed') && error.details.reason === 'corrupt')
      return { missing: 'what is stored of it is damaged' };
    throw error;
  }
}
