import type { Path } from '../../json/json.ts';
import { isObject, textOf } from '../../json/json.ts';
import type {
  Binding,
  CallPart,
  Entry,
  MediaPart,
  Part,
  ReasoningPart,
  ResultPart,
  ResultPiece,
  TextPart,
} from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import {
  asProviderExecuted,
  decodeContent,
  decodePieces,
  decodeText,
  makeEntry,
  opaqueEntry,
  opaquePart,
  readCallId,
  sameRoles,
} from '../decode-parts.ts';
import { mediaElsewhere, mediaPart } from '../media.ts';
import { readFileData } from './file-data.ts';

export const roles = sameRoles('system', 'user', 'assistant', 'tool');

const parts: DecoderTable = new Map<string, PartDecoder>([
  ['text', decodeSaidText],
  ['image', (part, at) => decodeFile(part, part['image'], at)],
  ['file', (part, at) => decodeFile(part, part['data'], at)],
  ['reasoning-file', (part, at) => decodeFile(part, part['data'], at)],
  ['reasoning', decodeReasoning],
  ['redacted-reasoning', decodeRedacted],
  ['tool-call', decodeCall],
  ['tool-result', decodeToolResult],
  ['custom', decodeCustom],
]);

/** A result inside an assistant message is the provider's own. */
const assistantParts: DecoderTable = new Map<string, PartDecoder>([
  ...parts,
  ['tool-result', (part, at) => asProviderExecuted(decodeToolResult(part, at))],
]);

export function decodeAiSdk(message: unknown, ordinal: number): Entry {
  const role = isObject(message) ? roles.get(message['role']) : undefined;
  if (!isObject(message) || !role) return opaqueEntry(message, ordinal, 'user');
  const table = role === 'assistant' ? assistantParts : parts;
  return makeEntry(
    { wire: message },
    ordinal,
    role,
    decodeContent<Part>(message['content'], ['content'], table),
  );
}

/** Anthropic's compaction comes as a text that is marked as one. */
function decodeSaidText(part: WireObject, at: Path): Part | undefined {
  const { text } = part;
  if (typeof text !== 'string') return undefined;
  if (isCompactionText(part)) return { ...opaquePart(part, at), isBarrier: true };
  return signed({ type: 'text', at, text }, part);
}

function decodeReasoning(part: WireObject, at: Path): ReasoningPart | undefined {
  const { text, signature } = part;
  if (typeof text !== 'string') return undefined;
  const { binding, length } = readSignature(part);
  // Version 4 kept the signature on the part itself.
  const own = textOf(signature).length;
  const decoded = { type: 'reasoning', at, text, opaqueLength: length + own } as const;
  if (binding) return { ...decoded, binding };
  return own > 0 ? { ...decoded, binding: 'content' } : decoded;
}

function decodeRedacted({ data }: WireObject, at: Path): ReasoningPart {
  return { type: 'reasoning', at, text: '', opaqueLength: textOf(data).length, binding: 'content' };
}

function decodeCall(part: WireObject, at: Path): CallPart | undefined {
  const { toolCallId, toolName: name, providerExecuted } = part;
  if (typeof name !== 'string') return undefined;
  const field = part['input'] === undefined && part['args'] !== undefined ? 'args' : 'input';
  const input = { type: 'value', value: part[field], at: [...at, field] } as const;
  const call = signed<CallPart>({ type: 'call', at, callId: readCallId(toolCallId), name, input }, part);
  return providerExecuted === true ? { ...call, isProviderExecuted: true } : call;
}

function decodeFile(part: WireObject, data: unknown, at: Path): MediaPart | undefined {
  const decoded = decodeData(part, data, at);
  return decoded && signed(decoded, part);
}

function decodeCustom(part: WireObject, at: Path): Part {
  const opaque = opaquePart(part, at);
  return textOf(part['kind']).endsWith('.compaction') ? { ...opaque, isBarrier: true } : opaque;
}

/** Parts of a `content` output, in the forms of versions 5 to 7. */
const contentParts: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['text', decodeText],
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

function decodeToolResult(part: WireObject, at: Path): ResultPart | undefined {
  const { toolCallId, toolName: name } = part;
  if (typeof toolCallId !== 'string') return undefined;
  const { isError, pieces } = readOutput(part, at);
  const callId = readCallId(toolCallId);
  return { type: 'result', at, callId, ...(typeof name === 'string' && { name }), isError, pieces };
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
  const stated = textOf(part['mediaType']) || textOf(part['mimeType']);
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
  return textOf(part['type']).startsWith('image') ? 'image/*' : 'application/octet-stream';
}

/** What providers put beside a part, and what it binds the part to. */
const bindings: ReadonlyMap<string, Binding> = new Map<string, Binding>([
  ['signature', 'content'], // Anthropic, Bedrock
  ['redactedData', 'content'], // Anthropic, Bedrock
  ['redactedContent', 'content'],
  ['thoughtSignature', 'content'], // Google: on reasoning, calls and texts
  ['reasoningEncryptedContent', 'next-item'], // OpenAI
]);

/** Stored items of OpenAI are referred to by this id; a reasoning item then needs the item after it. */
const itemIdName = 'itemId';

interface Signature {
  readonly binding?: Binding;
  /** Characters of signatures and encrypted content. */
  readonly length: number;
}

/** The signature of a part, from `providerOptions` and `providerMetadata`, whatever the provider is called. */
function readSignature(part: WireObject): Signature {
  let binding: Binding | undefined;
  let length = 0;
  for (const { options } of providersOf(part)) {
    for (const [name, binds] of bindings) {
      const secret = options[name];
      if (typeof secret !== 'string' || secret === '') continue;
      binding = binds;
      length += secret.length;
    }
    if (part['type'] === 'reasoning' && typeof options[itemIdName] === 'string') binding ??= 'next-item';
  }
  return binding ? { binding, length } : { length };
}

function signed<Signed extends TextPart | CallPart | MediaPart>(decoded: Signed, part: WireObject): Signed {
  const { binding } = readSignature(part);
  return binding ? { ...decoded, binding } : decoded;
}

/** Places of the ids under which OpenAI stores a part: with one, its stored form is sent instead of its content. */
export function itemIdPlaces(part: unknown): readonly (readonly string[])[] {
  if (!isObject(part)) return [];
  return providersOf(part)
    .filter(({ options }) => typeof options[itemIdName] === 'string')
    .map(({ at }) => [...at, itemIdName]);
}

/** Does a provider mark this text as its own compaction? */
function isCompactionText(part: WireObject): boolean {
  return providersOf(part).some(({ options }) => options['type'] === 'compaction');
}

interface ProviderFields {
  readonly at: readonly string[];
  readonly options: WireObject;
}

const fields = ['providerOptions', 'providerMetadata'];

function providersOf(part: WireObject): readonly ProviderFields[] {
  const found: ProviderFields[] = [];
  for (const field of fields) {
    const providers = part[field];
    if (!isObject(providers)) continue;
    for (const name of Object.keys(providers)) {
      const options = providers[name];
      if (isObject(options)) found.push({ at: [field, name], options });
    }
  }
  return found;
}
