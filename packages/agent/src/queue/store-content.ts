import { ContextError } from '@throughline/core';
import { blobUrl, decodeBase64, mediaTypeOf } from '../media/session-media.ts';
import { sanitiseText } from '../tools/output-text.ts';
import type { Keep } from '../media/session-media.ts';
import type { UserContent } from '@throughline/protocol/types';

/** What a user sent, as the inbox stores it: parts of a message, their bytes kept beside. Plain JSON. */
type StoredContent = { readonly parts: readonly StoredContentPart[] };

type StoredContentPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'media';
      readonly mediaType: string;
      /** `@blob:` with the hash of the bytes. */
      readonly source: { readonly type: 'url'; readonly url: string };
      readonly filename?: string;
    };

/** A part that is in order, its bytes not kept yet. */
type ReadPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'bytes';
      readonly mediaType: string;
      readonly bytes: Uint8Array;
      readonly filename?: string;
    };

/**
 * What a user sends, in the form in which it waits: texts made storable, bytes kept.
 *
 * @throws {ContextError} `invalid-option` with the path of what is wrong; nothing is kept then.
 */
export async function storeContent(content: UserContent, keep: Keep): Promise<StoredContent> {
  const parts: StoredContentPart[] = [];
  for (const part of readContent(content)) {
    if (part.type === 'text') {
      parts.push(part);
      continue;
    }
    const { bytes, mediaType, filename } = part;
    const source = { type: 'url', url: blobUrl(await keep(bytes, mediaType)) } as const;
    parts.push({ type: 'media', mediaType, source, ...(filename === undefined ? {} : { filename }) });
  }
  return { parts };
}

/** What comes over a wire has no types yet. */
function readContent(content: unknown): readonly ReadPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: readText(content, 'content') }];
  if (!Array.isArray(content) || content.length === 0)
    throw invalid('content', 'a text or a list of at least one part', content);
  return Array.from(content, (part, index) => readPart(part, `content[${index}]`));
}

function readPart(part: unknown, path: string): ReadPart {
  const fields: Readonly<Record<string, unknown>> =
    typeof part === 'object' && part !== null ? { ...part } : {};
  const { type, text, mediaType, data, filename } = fields;
  if (type === 'text') return { type, text: readText(text, `${path}.text`) };
  if (type !== 'image' && type !== 'file') throw invalid(`${path}.type`, 'text, image or file', type);
  const declared = readMediaType(mediaType, `${path}.mediaType`);
  const bytes = typeof data === 'string' ? decodeBase64(data) : undefined;
  if (!bytes) throw invalid(`${path}.data`, 'base64 of at least one byte, without "data:" before it', data);
  const read = { type: 'bytes', bytes, mediaType: mediaTypeOf(declared, bytes) } as const;
  if (filename === undefined) return read;
  if (typeof filename !== 'string') throw invalid(`${path}.filename`, 'a text, or nothing', filename);
  return { ...read, filename: sanitiseText(filename) };
}

function readText(text: unknown, path: string): string {
  if (typeof text !== 'string' || text.trim() === '')
    throw invalid(path, 'a text that is not empty or blank', text);
  return sanitiseText(text);
}

function readMediaType(mediaType: unknown, path: string): string {
  if (
    typeof mediaType === 'string' &&
    mediaType.length <= 255 &&
    /^\s*[\w.+-]+\/[\w.+-]+\s*(;|$)/.test(mediaType)
  )
    return mediaType;
  throw invalid(path, 'a media type such as image/png', mediaType);
}

const longestShown = 100;

/** What was received is shown in logs and answers: not megabytes of it. */
function invalid(option: string, expected: string, received: unknown): ContextError<'invalid-option'> {
  const shown =
    typeof received === 'string' ? received.slice(0, longestShown).toWellFormed() : typeof received;
  const message = `Cannot take this message: ${option} must be ${expected}.`;
  return new ContextError('invalid-option', message, { option, expected, received: shown });
}
