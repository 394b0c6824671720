import { jsonText } from '@throughline/core';
import type { Json } from '@throughline/core';
import type { SessionMedia } from '../media/session-media.ts';
import type { ResultContent } from '../tools/tool.ts';

/**
 * The parts of a stored content, whatever JSON it is: what is no part of ours is shown as the text it is, so that
 * nothing is lost. At least one part.
 */
export function readStored(content: Json): readonly ResultContent[] {
  if (typeof content === 'string') return [textPart(content)];
  const { parts } = fieldsOf(content);
  if (!isList(parts) || parts.length === 0) return [textPart(jsonText(content))];
  return parts.map((part) => readPart(part) ?? textPart(jsonText(part)));
}

function readPart(part: Json): ResultContent | undefined {
  const { type, text, mediaType, source, filename } = fieldsOf(part);
  if (type === 'text') return typeof text === 'string' ? textPart(text) : undefined;
  const from = readSource(source ?? null);
  if (type !== 'media' || typeof mediaType !== 'string' || !from) return undefined;
  return { type, mediaType, source: from, ...(typeof filename === 'string' && { filename }) };
}

function readSource(source: Json): SessionMedia['source'] | undefined {
  const { url, data } = fieldsOf(source);
  if (typeof url === 'string') return { type: 'url', url };
  return typeof data === 'string' ? { type: 'base64', data } : undefined;
}

function textPart(text: string): ResultContent {
  return { type: 'text', text };
}

function isList(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}

function fieldsOf(json: Json): { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !isList(json) ? json : {};
}
