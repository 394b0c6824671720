import { isObject } from '@throughline/core/codec';
import { badRequest } from './request-fault.ts';
import type { UserPart } from '@throughline/agent';

type Fields = Readonly<Record<string, unknown>>;

export function fieldsAt(value: unknown, path: string): Fields {
  if (isObject(value)) return value;
  throw badRequest(path, 'an object');
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value as readonly unknown[];
  throw badRequest(path, 'a list of at least one');
}

export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw badRequest(path, 'a text');
}

/** Names of the fields that are set and that nobody obeys. */
export function ignoredIn(body: Fields, known: ReadonlySet<string>): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    return known.has(name) || isEmpty ? [] : [name];
  });
}

export function textPart(text: unknown): readonly UserPart[] {
  return typeof text === 'string' && text.trim() !== '' ? [{ type: 'text', text }] : [];
}

/** What a message says: a text, or a list of parts that are read one by one. */
export function contentAt(
  content: unknown,
  path: string,
  readPart: (part: Fields, path: string) => readonly UserPart[],
): readonly UserPart[] {
  if (typeof content === 'string') return textPart(content);
  return listAt(content, path).flatMap((part, index) => {
    const at = `${path}[${index}]`;
    return readPart(fieldsAt(part, at), at);
  });
}

/** A file of a `data:` URL. The server fetches no address that a request names. */
export function dataUrlPart(url: unknown, path: string, filename?: unknown): UserPart {
  const read = typeof url === 'string' ? /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url) : null;
  const [, mediaType, data] = read ?? [];
  if (mediaType === undefined || data === undefined) throw badRequest(path, 'a data: URL in base64');
  return mediaPart(mediaType, data, filename);
}

export function mediaPart(mediaType: string, data: string, filename?: unknown): UserPart {
  const type = mediaType.startsWith('image/') ? 'image' : 'file';
  return { type, mediaType, data, ...(typeof filename === 'string' ? { filename } : {}) };
}

/** What a former agent of the conversation did, as text. */
export function calledPart(name: unknown, args: unknown): UserPart {
  return {
    type: 'text',
    text: `[Called ${String(name)} with ${typeof args === 'string' ? args : JSON.stringify(args)}]`,
  };
}

export function resultPart(content: unknown): UserPart {
  return { type: 'text', text: `[Result: ${plainText(content)}]` };
}

/** The texts of a content of any of the three APIs. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content) ?? '';
  return content
    .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}
