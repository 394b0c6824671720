import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { MediaPart, ResultPart, ResultPiece } from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import { decodePieces, opaquePart, readCallId, readText } from '../decode-parts.ts';
import { mediaElsewhere, mediaPart } from '../media.ts';
import { readFileData } from './file-data.ts';

/** Parts of a `content` output, in the forms of versions 5 to 7. */
const contentParts: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['text', ({ text }, at) => (typeof text === 'string' ? { type: 'text', at, text } : undefined)],
  ['media', (part, at) => decodeData(part, part['data'], at)],
  ['image', (part, at) => decodeData(part, part['data'], at)],
  ['file', (part, at) => decodeData(part, part['data'], at)],
  ['file-data', (part, at) => decodeData(part, part['data'], at)],
  ['image-data', (part, at) => decodeData(part, part['data'], at)],
  ['file-url', decodeUrl],
  ['image-url', decodeUrl],
  ['file-id', decodeReference],
  ['file-reference', decodeReference],
  ['image-file-id', decodeReference],
  ['image-file-reference', decodeReference],
]);

type OutputReader = (output: WireObject, at: Path) => readonly ResultPiece[];

const outputs: ReadonlyMap<unknown, OutputReader> = new Map<unknown, OutputReader>([
  ['text', readValue],
  ['error-text', readValue],
  ['json', readValue],
  ['error-json', readValue],
  ['content', ({ value }, at) => decodePieces(value, [...at, 'value'], contentParts)],
  [
    'execution-denied',
    ({ reason }, at) => (typeof reason === 'string' ? readPiece(reason, [...at, 'reason']) : []),
  ],
]);

const errorTypes: ReadonlySet<unknown> = new Set(['error-text', 'error-json', 'execution-denied']);

export function decodeToolResult(part: WireObject, at: Path): ResultPart | undefined {
  const { toolCallId, toolName: name } = part;
  if (typeof toolCallId !== 'string') return undefined;
  const { isError, pieces } = readOutput(part, at);
  const callId = readCallId(toolCallId);
  if (typeof name !== 'string') return { type: 'result', at, callId, isError, pieces };
  return { type: 'result', at, callId, name, isError, pieces };
}

function readOutput(part: WireObject, at: Path): Pick<ResultPart, 'isError' | 'pieces'> {
  const { output } = part;
  // Version 4 had the bare value.
  if (output === undefined) {
    return { isError: part['isError'] === true, pieces: readPiece(part['result'], [...at, 'result']) };
  }
  const place = [...at, 'output'];
  const read = isObject(output) ? outputs.get(output['type']) : undefined;
  if (!isObject(output) || !read) return { isError: false, pieces: readPiece(output, place) };
  return { isError: errorTypes.has(output['type']), pieces: read(output, place) };
}

function readValue({ value }: WireObject, at: Path): readonly ResultPiece[] {
  return readPiece(value, [...at, 'value']);
}

function readPiece(value: unknown, at: Path): readonly ResultPiece[] {
  if (value === undefined) return [];
  return [typeof value === 'string' ? { type: 'text', at, text: value } : opaquePart(value, at)];
}

function decodeData(part: WireObject, data: unknown, at: Path): MediaPart | undefined {
  const read = readFileData(data);
  if (!read) return undefined;
  const stated = readText(part['mediaType']) || readText(part['mimeType']);
  const mediaType = stated || read.mediaType || guessType(part);
  return mediaPart(at, { mediaType, bytes: read.bytes, filename: part['filename'] });
}

function decodeUrl(part: WireObject, at: Path): MediaPart | undefined {
  return typeof part['url'] === 'string' ? decodeData(part, part['url'], at) : undefined;
}

function decodeReference(part: WireObject, at: Path): MediaPart {
  return mediaPart(at, { mediaType: guessType(part), bytes: mediaElsewhere });
}

function guessType(part: WireObject): string {
  return readText(part['type']).startsWith('image') ? 'image/*' : 'application/octet-stream';
}
