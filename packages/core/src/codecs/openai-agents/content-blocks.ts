import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { MediaPart, ResultPiece, TextPart } from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import { readText } from '../decode-parts.ts';
import type { MediaBytes } from '../media.ts';
import { base64Media, mediaAtUrl, mediaElsewhere, mediaPart } from '../media.ts';

/** Blocks of tool outputs, those of older integrations among them. */
export const outputBlocks: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['input_text', decodeText],
  ['output_text', decodeText],
  ['text', decodeText],
  ['input_image', (block, at) => decodeMedia(block, mediaValue(block), at)],
  ['image', (block, at) => decodeMedia(block, mediaValue(block), at)],
  ['input_file', (block, at) => decodeMedia(block, mediaValue(block), at)],
  ['file', (block, at) => decodeMedia(block, mediaValue(block), at)],
  ['audio', (block, at) => decodeMedia(block, mediaValue(block), at)],
  ['computer_screenshot', (block, at) => decodeMedia(block, mediaValue(block), at)],
]);

/** Blocks of messages: a model may refuse, a tool may not. */
export const contentBlocks: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ...outputBlocks,
  ['refusal', ({ refusal: text }, at) => (typeof text === 'string' ? { type: 'text', at, text } : undefined)],
]);

/** What a block holds its media in: a text (URL, data URL, base64), bytes, or an object around one of them or an id. */
export function mediaValue(block: WireObject): unknown {
  const { image, imageUrl, file, fileData, fileUrl, fileId, audio, data } = block;
  const held = image ?? imageUrl ?? file ?? fileData ?? fileUrl ?? audio ?? data;
  return held ?? (fileId === undefined ? undefined : { fileId });
}

/** The text or the bytes themselves, out of the object around them. */
export function directValue(value: unknown): unknown {
  if (!isObject(value) || isBytes(value)) return value;
  return value['url'] ?? value['data'];
}

export function isBytes(value: unknown): value is ArrayBufferView {
  return ArrayBuffer.isView(value);
}

export function isUrl(text: string): boolean {
  return /^(data:|https?:\/\/)/.test(text);
}

function decodeText({ text }: WireObject, at: Path): TextPart | undefined {
  return typeof text === 'string' ? { type: 'text', at, text } : undefined;
}

const guesses: ReadonlyMap<string, string> = new Map([
  ['input_image', 'image/*'],
  ['image', 'image/*'],
  ['computer_screenshot', 'image/*'],
  ['audio', 'audio/*'],
]);

function decodeMedia(block: WireObject, value: unknown, at: Path): MediaPart | undefined {
  if (typeof value !== 'string' && !isObject(value)) return undefined;
  const inner = isObject(value) ? value : {};
  const { detail, format } = block;
  const filename = block['filename'] ?? inner['filename'];
  const stated = readText(inner['mediaType']) || readText(block['mediaType']);
  const isAudio = block['type'] === 'audio' && readText(format) !== '';
  const guess = isAudio ? `audio/${readText(format)}` : guessOf(block, filename);
  const found = readBytes(directValue(value), stated || guess);
  return mediaPart(at, { ...found, detail, filename });
}

function guessOf(block: WireObject, filename: unknown): string {
  const isPdf = readText(filename).endsWith('.pdf');
  return guesses.get(readText(block['type'])) ?? (isPdf ? 'application/pdf' : 'application/octet-stream');
}

function readBytes(value: unknown, mediaType: string): { mediaType: string; bytes: MediaBytes } {
  if (typeof value === 'string')
    return isUrl(value) ? mediaAtUrl(value, mediaType) : { mediaType, bytes: base64Media(value) };
  if (isBytes(value)) return { mediaType, bytes: { type: 'bytes', length: value.byteLength } };
  return { mediaType, bytes: mediaElsewhere };
}
