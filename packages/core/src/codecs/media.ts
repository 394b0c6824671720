import { isObject, textOf } from '../json/json.ts';
import type { Path } from '../json/json.ts';
import type { MediaPart } from '../transcript/entry.ts';
import type { NeutralMedia } from './codec.ts';
import type { WireObject } from './decode-parts.ts';

type NeutralSource = NeutralMedia['source'];

/** Where the bytes of a media part are: base64 from `start` of `text`, raw bytes, or elsewhere. */
export type MediaBytes =
  | { readonly type: 'base64'; readonly text: string; readonly start: number }
  | { readonly type: 'bytes'; readonly length: number }
  | { readonly type: 'reference' };

interface FoundMedia {
  readonly mediaType: string;
  readonly bytes: MediaBytes;
}

interface MediaInfo extends FoundMedia {
  readonly detail?: unknown;
  readonly filename?: unknown;
}

export const mediaElsewhere: MediaBytes = { type: 'reference' };

/** A media part with its size, and for images in the message their width and height. Nothing is copied. */
export function mediaPart(at: Path, info: MediaInfo): MediaPart {
  const { mediaType, bytes, detail, filename } = info;
  const size =
    bytes.type === 'base64' && mediaType.startsWith('image/') && imageSize(bytes.text, bytes.start);
  return {
    type: 'media',
    at,
    mediaType,
    sizeBytes: sizeOf(bytes),
    ...(size || undefined),
    ...(typeof detail === 'string' && { detail }),
    ...(typeof filename === 'string' && { filename }),
  };
}

/** Media that a format gives as a URL: a data URL carries type and bytes, any other only points to them. */
export function mediaAtUrl(url: string, guess: string): FoundMedia {
  const data = readDataUrl(url);
  if (!data) return { mediaType: guess, bytes: mediaElsewhere };
  const mediaType = data.mediaType || guess;
  return { mediaType, bytes: { type: 'base64', text: url, start: data.start } };
}

/** Whether a text is a URL, and not base64. */
export function isUrl(text: string): boolean {
  return /^(?:data:|https?:\/\/)/.test(text);
}

/** The bytes of media that a format gives as bare base64, without a `data:` prefix. */
export function base64Media(text: string): MediaBytes {
  return { type: 'base64', text, start: 0 };
}

/** Media that a format gives as a data URL or as bare base64. */
function mediaInData(data: string, guess: string): FoundMedia {
  return data.startsWith('data:') ? mediaAtUrl(data, guess) : { mediaType: guess, bytes: base64Media(data) };
}

/** A block that holds audio as OpenAI's formats write it. */
export function decodeAudio({ input_audio: audio }: WireObject, at: Path): MediaPart | undefined {
  if (!isObject(audio) || typeof audio['data'] !== 'string') return undefined;
  return mediaPart(at, {
    mediaType: `audio/${textOf(audio['format']) || '*'}`,
    bytes: base64Media(audio['data']),
  });
}

/** A file as OpenAI's formats write it: its data, or what only points to it. */
export function decodeFile(block: WireObject, at: Path): MediaPart | undefined {
  const { file_data: data, file_url: url, file_id: id, filename } = block;
  const guess = mediaTypeOfName(filename);
  if (typeof data === 'string') return mediaPart(at, { ...mediaInData(data, guess), filename });
  if (typeof url !== 'string' && typeof id !== 'string') return undefined;
  return mediaPart(at, { mediaType: guess, bytes: mediaElsewhere, filename });
}

/** What a file of this name probably is. */
export function mediaTypeOfName(filename: unknown): string {
  return textOf(filename).endsWith('.pdf') ? 'application/pdf' : 'application/octet-stream';
}

/** The neutral source of a URL: a base64 data URL becomes its data. */
export function sourceOfUrl(url: string): NeutralSource {
  const data = readDataUrl(url);
  return data ? { type: 'base64', data: url.slice(data.start) } : { type: 'url', url };
}

/** The neutral source of data that may be a data URL. */
export function sourceOfData(data: string): NeutralSource {
  return data.startsWith('data:') ? sourceOfUrl(data) : { type: 'base64', data };
}

/** The neutral source of a block that holds its data or URL in an object called `source`. */
export function sourceOfBlock(block: unknown): NeutralSource | undefined {
  const source = isObject(block) ? block['source'] : undefined;
  if (!isObject(source)) return undefined;
  if (typeof source['data'] === 'string') return { type: 'base64', data: source['data'] };
  return typeof source['url'] === 'string' ? sourceOfUrl(source['url']) : undefined;
}

/** The URL of a neutral source: base64 becomes a data URL. */
export function urlOfSource({ source, mediaType }: NeutralMedia): string {
  return source.type === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
}

/** The media type is short; a comma further away than this belongs to something else. */
const longestHead = 200;

function readDataUrl(url: string): { readonly mediaType: string; readonly start: number } | undefined {
  if (!url.startsWith('data:')) return undefined;
  const head = url.slice(0, longestHead);
  const comma = head.indexOf(',');
  if (comma < 0 || !head.slice(0, comma).endsWith(';base64')) return undefined;
  const parameters = head.indexOf(';');
  return { mediaType: head.slice('data:'.length, parameters), start: comma + 1 };
}

function sizeOf(bytes: MediaBytes): number {
  if (bytes.type === 'bytes') return bytes.length;
  if (bytes.type === 'reference') return 0;
  const { text, start } = bytes;
  let end = text.length;
  while (end > start && text.charCodeAt(end - 1) === 0x3d) end--;
  return Math.floor(((end - start) * 3) / 4);
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of raw bytes, padded. For media that a format in memory holds as bytes. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let piece = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const [first = 0, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const group = (first << 16) | (second << 8) | third;
    piece +=
      digit(group, 18) +
      digit(group, 12) +
      (left > 1 ? digit(group, 6) : '=') +
      (left > 2 ? digit(group, 0) : '=');
    if (piece.length >= 0x4000) {
      pieces.push(piece);
      piece = '';
    }
  }
  pieces.push(piece);
  return pieces.join('');
}

function digit(group: number, shift: number): string {
  return digits.charAt((group >> shift) & 0x3f);
}

interface ImageSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Bytes of a base64 text, decoded one by one where they are asked for. Past the end, or behind a stray character: −1. */
class Base64Bytes {
  readonly #text: string;
  readonly #start: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
  }

  at(index: number): number {
    const group = this.#start + Math.floor(index / 3) * 4;
    const shift = index % 3;
    const first = sextet(this.#text.charCodeAt(group + shift));
    const second = sextet(this.#text.charCodeAt(group + shift + 1));
    if (first < 0 || second < 0) return -1;
    return ((first << (2 + 2 * shift)) | (second >> (4 - 2 * shift))) & 0xff;
  }

  big(index: number, count: number): number {
    let value = 0;
    for (let offset = 0; offset < count; offset++) value = value * 256 + this.at(index + offset);
    return value;
  }

  little(index: number, count: number): number {
    let value = 0;
    for (let offset = count - 1; offset >= 0; offset--) value = value * 256 + this.at(index + offset);
    return value;
  }
}

function sextet(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === 0x2b || code === 0x2d) return 62;
  return code === 0x2f || code === 0x5f ? 63 : -1;
}

/** A JPEG has its size in a segment behind others; more than this many are not looked at. */
const mostSegments = 64;

/**
 * Width and height of a PNG, JPEG, GIF or WebP whose base64 begins at `start` of `text`. Reads only header bytes, in
 * place. `undefined` for other formats and broken headers.
 */
export function imageSize(text: string, start: number): ImageSize | undefined {
  const bytes = new Base64Bytes(text, start);
  const size = sizeBySignature(bytes, bytes.big(0, 4));
  return size && size.widthPx > 0 && size.heightPx > 0 ? size : undefined;
}

function sizeBySignature(bytes: Base64Bytes, signature: number): ImageSize | undefined {
  if (signature === 0x89504e47) return { widthPx: bytes.big(16, 4), heightPx: bytes.big(20, 4) };
  if (signature === 0x47494638) return { widthPx: bytes.little(6, 2), heightPx: bytes.little(8, 2) };
  if (signature === 0x52494646) return webpSize(bytes);
  return Math.floor(signature / 0x100) === 0xffd8ff ? jpegSize(bytes) : undefined;
}

function webpSize(bytes: Base64Bytes): ImageSize | undefined {
  const chunk = bytes.big(12, 4);
  if (chunk === 0x56503858) return { widthPx: bytes.little(24, 3) + 1, heightPx: bytes.little(27, 3) + 1 };
  if (chunk === 0x56503820) {
    return { widthPx: bytes.little(26, 2) & 0x3fff, heightPx: bytes.little(28, 2) & 0x3fff };
  }
  if (chunk !== 0x5650384c) return undefined;
  const bits = bytes.little(21, 4);
  return { widthPx: (bits & 0x3fff) + 1, heightPx: ((bits >>> 14) & 0x3fff) + 1 };
}

function jpegSize(bytes: Base64Bytes): ImageSize | undefined {
  let at = 2;
  for (let segment = 0; segment < mostSegments; segment++) {
    if (bytes.at(at) !== 0xff) return undefined;
    const marker = bytes.at(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { widthPx: bytes.big(at + 7, 2), heightPx: bytes.big(at + 5, 2) };
    const length = bytes.big(at + 2, 2);
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}
