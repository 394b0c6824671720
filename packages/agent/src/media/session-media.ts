import { ContextError } from '@throughline/core';
import { base64Media, mediaAtUrl, mediaPart } from '@throughline/core/codec';
import { fileTypeOf } from '../tools/files/file-type.ts';
import { sanitiseText } from '../tools/output-text.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { ResultContent } from '../tools/tool.ts';
import type { SessionStore } from '@throughline/ports';

/** An image or a file as a stored message holds it, in its parts or inside a result. */
export type SessionMedia = Extract<SessionMessage['parts'][number], { type: 'media' }>;

/** Stores bytes; resolves to their hash. */
export type Keep = (bytes: Uint8Array, mediaType: string) => Promise<string>;

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
  const known = mediaTypeOf(mediaType, bytes);
  const source = { type: 'url', url: blobUrl(await keep(bytes, known)) } as const;
  const named = filename === undefined ? {} : { filename };
  return { ...one, mediaType: known, source, ...named };
}

/**
 * The bytes of a base64 text, padded or not, in lines or not; `undefined` for a text that is something else, or empty.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = decodeExactly(text) ?? decodeExactly(text.replaceAll(/\s+/g, ''));
  return bytes && bytes.length > 0 ? bytes : undefined;
}

/** Node's decoder takes both alphabets, leaves out what belongs to none, and says nothing: only the length tells. */
function decodeExactly(text: string): Uint8Array | undefined {
  let end = text.length;
  while (end > 0 && end > text.length - 2 && text.charCodeAt(end - 1) === 0x3d) end -= 1;
  if (end % 4 === 1) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === Math.floor((end * 3) / 4) ? bytes : undefined;
}

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

type Part = SessionMessage['parts'][number];

type Result = Extract<Part, { type: 'result' }>;

/** Where media stand: in a message of this role, or inside a result. What else a tool message holds counts as that. */
export type MediaPlace = 'system' | 'user' | 'assistant' | 'result';

/** Position among the parts of the message, and inside a result among its pieces. */
export interface MediaPosition {
  readonly place: MediaPlace;
  readonly part: number;
  readonly piece?: number;
}

/** What comes in the place of media: the same object leaves them as they are. */
type Replacement = (media: SessionMedia, position: MediaPosition) => ResultContent;

/**
 * The message with other content in the place of its media. As many parts and pieces as before, in the same order; what
 * does not change stays the same object. Takes whatever a store may hold.
 */
export function replaceMedia(message: SessionMessage, replace: Replacement): SessionMessage {
  const { role } = message;
  const place = role === 'tool' ? 'result' : role;
  const parts = mapSame(message.parts, (part, index): Part => {
    if (part?.type === 'media') return replace(part, { place, part: index });
    return part?.type === 'result' ? replaceInResult(part, index, replace) : part;
  });
  return parts === message.parts ? message : { ...message, parts };
}

function replaceInResult(result: Result, part: number, replace: Replacement): Result {
  const content = mapSame(result.content, (one, piece) =>
    one?.type === 'media' ? replace(one, { place: 'result', part, piece }) : one,
  );
  return content === result.content ? result : { ...result, content };
}

/** The list with each item mapped; the list itself where all stay the same, or where it is none. */
function mapSame<Item>(list: readonly Item[], map: (item: Item, index: number) => Item): readonly Item[] {
  if (!Array.isArray(list)) return list;
  const mapped = list.map(map);
  return mapped.every((item, index) => item === list[index]) ? list : mapped;
}

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

const scheme = '@blob:';

/** The URL under which a message refers to stored bytes. */
export function blobUrl(hash: string): string {
  return `${scheme}${hash}`;
}

/** The hash in such a URL; `undefined` for any other. */
function blobHash(url: string): string | undefined {
  return url.startsWith(scheme) ? url.slice(scheme.length) : undefined;
}

/**
 * The type under which bytes are stored: what was declared, in lower case and without parameters. Where an image was
 * declared and the bytes are one of another type, theirs: providers refuse the request otherwise, now and ever after.
 */
export function mediaTypeOf(declared: string, bytes: Uint8Array): string {
  const [essence = ''] = declared.trim().toLowerCase().split(';');
  const mediaType = essence.trim();
  if (!mediaType.startsWith('image/')) return mediaType;
  const found = fileTypeOf(bytes.subarray(0, 16));
  return found.type === 'image' ? found.mediaType : mediaType;
}

export type MediaKind = 'image' | 'audio' | 'video' | 'file';

const kinds: ReadonlyMap<string, MediaKind> = new Map([
  ['image', 'image'],
  ['audio', 'audio'],
  ['video', 'video'],
]);

/** What a model would have to be able to take, by media type. */
export function mediaKind(mediaType: string): MediaKind {
  return kinds.get(mediaType.slice(0, mediaType.indexOf('/')).toLowerCase()) ?? 'file';
}

/** Media in a few words: `image "shot.png" (image/png, 3.1 MB)`. The same facts give the same words, always. */
export function describeMedia({ mediaType, filename, sizeBytes }: MediaFacts): string {
  const name = filename === undefined ? '' : ` "${filename}"`;
  const size = sizeBytes === undefined ? '' : `, ${sizeText(sizeBytes)}`;
  return `${mediaKind(mediaType)}${name} (${mediaType}${size})`;
}

/** A number of bytes for people and models: two or three digits are enough. */
export function sizeText(bytes: number): string {
  if (bytes >= 999_500) return `${(bytes / 1e6).toFixed(1)} MB`;
  return bytes >= 1e3 ? `${Math.round(bytes / 1e3)} kB` : `${bytes} bytes`;
}

/** The text in the place of media that are not shown, for the model. */
export function mediaNote(facts: MediaFacts, why: string): ResultContent {
  return { type: 'text', text: `[${describeMedia(facts)} is not shown: ${why}]` };
}

/** Bytes of a session and what they are: as it was said when they were stored, else by how they begin. */
export async function readBlob(
  { store, sessionId }: { readonly store: SessionStore; readonly sessionId: string },
  hash: string,
): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string } | undefined> {
  // A name that is no hash is one of nothing.
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const bytes = await store.attachments.read(sessionId, hash);
  if (!bytes) return undefined;
  const said = await store.attachments.mediaType(sessionId, hash);
  return { bytes, mediaType: said ?? lookOf(bytes) };
}

function lookOf(bytes: Uint8Array): string {
  const found = fileTypeOf(bytes.subarray(0, 16));
  return found.type === 'image' ? found.mediaType : 'application/octet-stream';
}
