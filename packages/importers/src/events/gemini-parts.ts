import { writeJson } from '@throughline/core';
import { outputText, text } from './neutral.ts';
import { isObject, objectOf, textOf } from '../json-value.ts';
import type { NeutralContent, NeutralMedia, NeutralPart } from '@throughline/core';
import type { JsonObject } from '../json-value.ts';

/** The parts of a Gemini content: a text, a part, or a list of both. Calls and their answers are told apart. */
export function partsOf(content: unknown): NeutralPart[] {
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  return parts.flatMap((part) => (typeof part === 'string' ? [text(part)] : partOf(objectOf(part))));
}

export function partOf(part: JsonObject): NeutralPart[] {
  if (isObject(part['functionCall']) || isObject(part['functionResponse'])) return [];
  const said = textOf(part['text']);
  if (said !== undefined) return [part['thought'] === true ? { type: 'reasoning', text: said } : text(said)];
  const media = mediaOf(part);
  if (media) return [media];
  const { thoughtSignature: _signature, text: _empty, thought: _thought, ...rest } = part;
  return Object.keys(rest).length === 0 ? [] : [text(writeJson(rest))];
}

function mediaOf(part: JsonObject): NeutralMedia | undefined {
  const { data, mimeType } = objectOf(part['inlineData']);
  const { fileUri, mimeType: fileType } = objectOf(part['fileData']);
  const mediaType = textOf(mimeType) ?? textOf(fileType) ?? 'application/octet-stream';
  if (typeof data === 'string') return { type: 'media', mediaType, source: { type: 'base64', data } };
  const url = textOf(fileUri);
  return url === undefined ? undefined : { type: 'media', mediaType, source: { type: 'url', url } };
}

/** What the model sees of a result: the output of a function response, and the media that come with it. */
export function resultContent(part: unknown): NeutralContent[] {
  const value = objectOf(part);
  const media = mediaOf(value);
  if (media) return [media];
  const { response, parts } = objectOf(value['functionResponse']);
  const { output, error } = objectOf(response);
  const beside = Array.isArray(parts)
    ? (parts as unknown[]).flatMap((one) => mediaOf(objectOf(one)) ?? [])
    : [];
  return [
    { type: 'text', text: outputText(output ?? error ?? response ?? value['text'] ?? part) },
    ...beside,
  ];
}
