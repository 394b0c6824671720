import type { Path } from '../../json/json.ts';
import { isObject, textOf, valueAt } from '../../json/json.ts';
import type { CallId, Entry, MediaPart, Part, ResultPart, ResultPiece } from '../../transcript/entry.ts';
import type { ItemDecoder, ItemFormat } from '../decode-items.ts';
import { barrierItem, callItems, decodeItem, outputItem, readInput, reasoningPart } from '../decode-items.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import {
  decodeBlock,
  decodePieces,
  decodeRefusal,
  decodeText,
  readCallId,
  sameRoles,
} from '../decode-parts.ts';
import type { MediaBytes } from '../media.ts';
import { base64Media, isUrl, mediaAtUrl, mediaElsewhere, mediaPart, mediaTypeOfName } from '../media.ts';

export const roles = sameRoles('user', 'assistant', 'system');

export function decodeAgentsItem(item: unknown, ordinal: number): Entry {
  return decodeItem(item, ordinal, format);
}

/** Blocks of tool outputs, those of older integrations among them. */
const outputBlocks: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['input_text', decodeText],
  ['output_text', decodeText],
  ['text', decodeText],
  ['input_image', decodeMedia],
  ['image', decodeMedia],
  ['input_file', decodeMedia],
  ['file', decodeMedia],
  ['audio', decodeMedia],
  ['computer_screenshot', decodeMedia],
]);

/** Blocks of messages: a model may refuse, a tool may not. */
const contentBlocks: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ...outputBlocks,
  ['refusal', decodeRefusal],
]);

const output = outputItem(callIdOf, readOutput);

const format: ItemFormat = {
  roles,
  contentBlocks,
  items: new Map([
    ['reasoning', { role: 'assistant', decode: decodeReasoning }],
    ...callItems(callIdOf, ['custom_tool_call', 'local_shell_call']),
    ['function_call_result', output],
    ['shell_call_output', output],
    ['apply_patch_call_output', output],
    ['computer_call_result', output],
    ['tool_search_output', output],
    ['hosted_tool_call', { role: 'assistant', decode: decodeHostedCall }],
    ['compaction', barrierItem],
  ] satisfies [string, ItemDecoder][]),
  // Types that are not known, and the programs of the provider: the model made them.
  roleOfUnknown: () => 'assistant',
};

function callIdOf({ callId, call_id: providerCallId, id }: WireObject, name: unknown): CallId {
  return readCallId(callId, providerCallId, id, name);
}

/** A text, a list of blocks, or (the form older tools return) a single block. */
function readOutput(value: unknown): readonly ResultPiece[] {
  if (isObject(value)) return [decodeBlock(value, ['output'], outputBlocks)];
  return decodePieces(value, ['output'], outputBlocks);
}

const encryptedNames = ['encryptedContent', 'encrypted_content'];

function decodeReasoning(item: WireObject): readonly Part[] | undefined {
  const { content, rawContent } = item;
  if (content !== undefined && !Array.isArray(content)) return undefined;
  const opaqueLength = encryptedNames
    .map((name) => textOf(valueAt(item, ['providerData', name])).length)
    .reduce((most, length) => Math.max(most, length), 0);
  return [reasoningPart([content, rawContent], opaqueLength)];
}

/** A tool that the provider ran itself: one item is call and result at once. Most of it is in `providerData`. */
function decodeHostedCall(item: WireObject): readonly Part[] | undefined {
  const { name, output: text, providerData } = item;
  if (typeof name !== 'string') return undefined;
  const shared = { at: [], callId: readCallId(item['id'], name), name, isProviderExecuted: true } as const;
  const result: ResultPart = {
    type: 'result',
    ...shared,
    isError: item['status'] === 'failed',
    pieces:
      typeof text === 'string'
        ? [{ type: 'text', at: ['output'], text }]
        : isObject(providerData)
          ? [{ type: 'opaque', at: ['providerData'], value: providerData }]
          : [],
  };
  return [{ type: 'call', ...shared, input: readInput(item, 'arguments') }, result];
}

const guesses: ReadonlyMap<string, string> = new Map([
  ['input_image', 'image/*'],
  ['image', 'image/*'],
  ['computer_screenshot', 'image/*'],
  ['audio', 'audio/*'],
]);

function decodeMedia(block: WireObject, at: Path): MediaPart | undefined {
  const value = mediaValue(block);
  if (typeof value !== 'string' && !isObject(value)) return undefined;
  const inner = isObject(value) ? value : {};
  const { detail, format: coding } = block;
  const filename = block['filename'] ?? inner['filename'];
  const stated = textOf(inner['mediaType']) || textOf(block['mediaType']);
  const isAudio = block['type'] === 'audio' && textOf(coding) !== '';
  const guess = isAudio ? `audio/${textOf(coding)}` : guessOf(block, filename);
  const found = readBytes(directValue(value), stated || guess);
  return mediaPart(at, { ...found, detail, filename });
}

function guessOf(block: WireObject, filename: unknown): string {
  return guesses.get(textOf(block['type'])) ?? mediaTypeOfName(filename);
}

function readBytes(value: unknown, mediaType: string): { mediaType: string; bytes: MediaBytes } {
  if (typeof value === 'string')
    return isUrl(value) ? mediaAtUrl(value, mediaType) : { mediaType, bytes: base64Media(value) };
  if (isBytes(value)) return { mediaType, bytes: { type: 'bytes', length: value.byteLength } };
  return { mediaType, bytes: mediaElsewhere };
}

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
