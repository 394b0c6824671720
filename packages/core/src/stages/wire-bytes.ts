import { callInputText, callInputValue, jsonText } from '../transcript/entry-text.ts';
import { valueAt } from '../json/json.ts';
import type { CallPart, MediaPart, Part } from '../transcript/entry.ts';
import type { PartLevelChange } from '../changes/change.ts';

/** What a part costs beside its content: its type, ids and brackets. */
const frameBytes = 40;
const base64Share = 4 / 3;

// A memory, never a source of truth: texts are gone through once, whatever the number of requests they are sent in.
const known = new WeakMap<Part, number>();

/** Bytes of a part on the wire as a request would carry it, with the change that is in force on it. Estimated. */
export function partBytes(part: Part, change?: PartLevelChange): number {
  if (!change) return bytesOf(part);
  if (change.type === 'reasoning-dropped') return 0;
  if (change.type === 'arguments-pruned') return part.type === 'call' ? prunedBytes(part, change) : 0;
  const kept = change.type === 'result-truncated' && change.keepMedia ? mediaIn(part) : [];
  return frameBytes + stringBytes(change.text) + kept.reduce((sum, piece) => sum + bytesOf(piece), 0);
}

/** The media of a part: its own, or those in a result. */
export function mediaIn(part: Part): MediaPart[] {
  if (part.type === 'media') return [part];
  return part.type === 'result' ? part.pieces.filter((piece) => piece.type === 'media') : [];
}

/** `\b`, `\t`, `\n`, `\f` and `\r`; every other control character is written as `\u00..`. */
const shortEscapes: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** Bytes of a text as a JSON string in UTF-8, without its quotes. */
export function stringBytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22 || code === 0x5c) bytes += 2;
    else if (code < 0x20) bytes += shortEscapes.has(code) ? 2 : 6;
    else if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    // Both halves of a pair together are four bytes.
    else bytes += code >= 0xd800 && code <= 0xdfff ? 2 : 3;
  }
  return bytes;
}

function bytesOf(part: Part): number {
  const found = known.get(part);
  if (found !== undefined) return found;
  const bytes = frameBytes + contentBytes(part);
  known.set(part, bytes);
  return bytes;
}

type ContentBytes = { readonly [Type in Part['type']]: (part: Extract<Part, { type: Type }>) => number };

const contentBytesOf: ContentBytes = {
  text: ({ text }) => stringBytes(text),
  reasoning: ({ text, opaqueLength }) => stringBytes(text) + opaqueLength,
  // Arguments that travel as JSON text are a string in a string.
  call: (part) => stringBytes(part.name) + inputBytes(part, callInputText(part)),
  result: ({ pieces }) => pieces.reduce((sum, piece) => sum + bytesOf(piece), 0),
  media: ({ sizeBytes }) => sizeBytes * base64Share,
  opaque: ({ value }) => stringBytes(jsonText(value)),
};

function contentBytes<Type extends Part['type']>(part: Extract<Part, { type: Type }>): number {
  const row: (part: Extract<Part, { type: Type }>) => number = contentBytesOf[part.type];
  return row(part);
}

function inputBytes({ input }: CallPart, text: string): number {
  return input.type === 'text' ? stringBytes(text) : rawBytes(text);
}

/** Bytes of a text that is part of the JSON itself. */
function rawBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

function prunedBytes(
  part: CallPart,
  { values }: Extract<PartLevelChange, { type: 'arguments-pruned' }>,
): number {
  const input = callInputValue(part);
  return values.reduce((sum, { at, text }) => {
    const original = valueAt(input, at);
    return sum - (typeof original === 'string' ? stringBytes(original) : 0) + stringBytes(text);
  }, bytesOf(part));
}
