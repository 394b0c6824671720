import { writeJson } from '@throughline/core';
import type { NeutralMedia, NeutralPart } from '@throughline/core';

/** The shortest ways to say the parts of a message. */
export function text(value: string): NeutralPart {
  return { type: 'text', text: value };
}

export function result(
  call: { readonly id: string; readonly name: string },
  output: string,
  isError = false,
): NeutralPart {
  return {
    type: 'result',
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', text: output }],
    isError,
  };
}

/** A tool's output as the text a model would see. */
export function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return writeJson(value);
}

/** An image at an address, which may hold the image itself. */
export function imageAt(url: string): NeutralMedia {
  const [head, data] = url.startsWith('data:') ? url.slice('data:'.length).split(';base64,', 2) : [];
  if (head !== undefined && data !== undefined)
    return { type: 'media', mediaType: head, source: { type: 'base64', data } };
  return { type: 'media', mediaType: 'image/*', source: { type: 'url', url } };
}
