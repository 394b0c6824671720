import { isObject, textOf } from '../../json/json.ts';
import type { NeutralMedia } from '../codec.ts';
import { base64Media, isUrl, mediaAtUrl, mediaElsewhere, sourceOfUrl, toBase64 } from '../media.ts';
import type { MediaBytes } from '../media.ts';

/** Where the data of a file part is, and the media type a data URL states. `undefined`: this is no file data. */
interface FileData {
  readonly bytes: MediaBytes;
  readonly mediaType?: string;
}

/**
 * File data in the forms of all versions: base64 text, a URL as text or object, raw bytes, and the tagged forms
 * `data`, `url`, `text` and `reference` of version 7.
 */
export function readFileData(data: unknown): FileData | undefined {
  if (typeof data === 'string') return isUrl(data) ? readUrl(data) : { bytes: base64Media(data) };
  const length = byteLength(data);
  if (length !== undefined) return { bytes: { type: 'bytes', length } };
  if (!isObject(data)) return undefined;
  const { type, href, data: inner, url, text } = data;
  if (typeof href === 'string') return readUrl(href);
  if (type === 'data' && isDirect(inner)) return readFileData(inner);
  if (type === 'url') return readUrl(urlText(url));
  if (type === 'text' && typeof text === 'string') return { bytes: { type: 'bytes', length: text.length } };
  return { bytes: mediaElsewhere };
}

/** The same data for another format; `undefined` for references that only one provider can resolve. */
export function neutralFileData(data: unknown): NeutralMedia['source'] | undefined {
  if (typeof data === 'string') return isUrl(data) ? sourceOfUrl(data) : { type: 'base64', data };
  const bytes = bytesOf(data);
  if (bytes) return { type: 'base64', data: toBase64(bytes) };
  if (!isObject(data)) return undefined;
  const { type, href, data: inner, url } = data;
  if (typeof href === 'string') return sourceOfUrl(href);
  if (type === 'data' && isDirect(inner)) return neutralFileData(inner);
  return type === 'url' && urlText(url) !== '' ? sourceOfUrl(urlText(url)) : undefined;
}

/** A text or bytes; nothing tagged, so that hostile nesting ends here. */
function isDirect(data: unknown): boolean {
  return typeof data === 'string' || byteLength(data) !== undefined;
}

function urlText(url: unknown): string {
  return textOf(isObject(url) ? url['href'] : url);
}

function readUrl(url: string): FileData {
  const { bytes, mediaType } = mediaAtUrl(url, '');
  return mediaType === '' ? { bytes } : { bytes, mediaType };
}

function byteLength(value: unknown): number | undefined {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  // A `Buffer` that went through JSON.
  return isObject(value) && value['type'] === 'Buffer' && Array.isArray(value['data'])
    ? value['data'].length
    : undefined;
}

function bytesOf(value: unknown): Uint8Array | undefined {
  // Bytes that were handed on to somebody else are none any more.
  if (byteLength(value) === 0) return new Uint8Array();
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (byteLength(value) === undefined) return undefined;
  return Uint8Array.from((value as { readonly data: readonly number[] }).data);
}

/** Whether this is file data in a form of any version. */
export function isFileData(data: unknown): boolean {
  if (typeof data === 'string' || byteLength(data) !== undefined) return true;
  if (!isObject(data)) return false;
  const { type, href, data: inner, url, text, reference } = data;
  if (typeof href === 'string') return true;
  if (type === 'data') return isDirect(inner);
  if (type === 'url') return urlText(url) !== '';
  return type === 'text' ? typeof text === 'string' : type === 'reference' && isObject(reference);
}
