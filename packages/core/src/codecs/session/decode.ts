import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type {
  Binding,
  CallPart,
  Entry,
  MediaPart,
  Part,
  ReasoningPart,
  ResultPart,
  ResultPiece,
  Role,
  TextPart,
} from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import {
  decodeContent,
  decodePieces,
  makeEntry,
  opaqueEntry,
  opaquePart,
  readCallId,
  readText,
} from '../decode-parts.ts';
import { base64Media, mediaAtUrl, mediaElsewhere, mediaPart } from '../media.ts';

const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);

const pieces: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['text', decodeText],
  ['media', decodeMedia],
]);

const parts: DecoderTable = new Map<string, PartDecoder>([
  ...pieces,
  ['reasoning', decodeReasoning],
  ['call', decodeCall],
  ['result', decodeResult],
  ['opaque', decodeOpaque],
]);

const bindings: ReadonlyMap<unknown, Binding> = new Map<unknown, Binding>([
  ['content', 'content'],
  ['prefix', 'prefix'],
  ['next-item', 'next-item'],
]);

export function decodeSession(message: unknown, ordinal: number): Entry {
  const role = isObject(message) ? roles.get(message['role']) : undefined;
  if (!isObject(message) || !role) return opaqueEntry(message, ordinal, 'user');
  const { id } = message;
  return makeEntry(
    { wire: message, id },
    ordinal,
    role,
    decodeContent<Part>(message['parts'], ['parts'], parts),
  );
}

/** Adds the binding that is stated, or `content` where there is a signature. */
function bound<Bound extends TextPart | ReasoningPart | CallPart>(decoded: Bound, part: WireObject): Bound {
  const { binding, signature } = part;
  if (binding === undefined && signature === undefined) return decoded;
  const stated = bindings.get(binding) ?? (readText(signature) === '' ? undefined : 'content');
  return stated ? { ...decoded, binding: stated } : decoded;
}

function decodeText(part: WireObject, at: Path): TextPart | undefined {
  const { text } = part;
  return typeof text === 'string' ? bound({ type: 'text', at, text }, part) : undefined;
}

function decodeReasoning(part: WireObject, at: Path): ReasoningPart | undefined {
  const { text, signature } = part;
  if (typeof text !== 'string') return undefined;
  return bound({ type: 'reasoning', at, text, opaqueLength: readText(signature).length }, part);
}

function decodeCall(part: WireObject, at: Path): CallPart | undefined {
  const { callId, name, input: value, isProviderExecuted } = part;
  if (typeof name !== 'string') return undefined;
  const input = { type: 'value', value, at: [...at, 'input'] } as const;
  const call = bound<CallPart>({ type: 'call', at, callId: readCallId(callId, name), name, input }, part);
  return isProviderExecuted === true ? { ...call, isProviderExecuted } : call;
}

function decodeResult(part: WireObject, at: Path): ResultPart | undefined {
  const { callId, name, content, isProviderExecuted } = part;
  if (typeof callId !== 'string') return undefined;
  const shown = decodePieces(content, [...at, 'content'], pieces);
  const isError = part['isError'] === true;
  const id = readCallId(callId);
  const hasName = typeof name === 'string' && name !== '';
  const result: ResultPart = hasName
    ? { type: 'result', at, callId: id, name, isError, pieces: shown }
    : { type: 'result', at, callId: id, isError, pieces: shown };
  return isProviderExecuted === true ? { ...result, isProviderExecuted } : result;
}

function decodeMedia({ mediaType, source, filename }: WireObject, at: Path): MediaPart | undefined {
  if (typeof mediaType !== 'string' || !isObject(source)) return undefined;
  const { data, url } = source;
  if (typeof data === 'string') return mediaPart(at, { mediaType, bytes: base64Media(data), filename });
  if (typeof url !== 'string') return mediaPart(at, { mediaType, bytes: mediaElsewhere, filename });
  return mediaPart(at, { mediaType, bytes: mediaAtUrl(url, mediaType).bytes, filename });
}

function decodeOpaque({ value, isBarrier }: WireObject, at: Path): Part {
  const part = opaquePart(value, at);
  return isBarrier === true ? { ...part, isBarrier } : part;
}
