import type { Path } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type {
  CallPart,
  Entry,
  MediaPart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
} from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, WireObject } from '../decode-parts.ts';
import { decodeContent, makeEntry, opaqueEntry, opaquePart, readCallId, readText } from '../decode-parts.ts';
import { mediaPart } from '../media.ts';
import { decodeToolResult } from './decode-result.ts';
import { readFileData } from './file-data.ts';
import { isCompactionText, readSignature } from './signature.ts';

const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);

const parts: DecoderTable = new Map<string, PartDecoder>([
  ['text', decodeText],
  ['image', (part, at) => decodeFile(part, part['image'], at)],
  ['file', (part, at) => decodeFile(part, part['data'], at)],
  ['reasoning-file', (part, at) => decodeFile(part, part['data'], at)],
  ['reasoning', decodeReasoning],
  ['redacted-reasoning', ({ data }, at) => reasoning('', readText(data).length, at)],
  ['tool-call', decodeCall],
  ['tool-result', decodeToolResult],
  ['custom', decodeCustom],
]);

/** A result inside an assistant message is the provider's own. */
const assistantParts: DecoderTable = new Map<string, PartDecoder>([
  ...parts,
  [
    'tool-result',
    (part, at) => {
      const result = decodeToolResult(part, at);
      return result && { ...result, isProviderExecuted: true };
    },
  ],
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
function decodeText(part: WireObject, at: Path): Part | undefined {
  const { text } = part;
  if (typeof text !== 'string') return undefined;
  if (isCompactionText(part)) return { ...opaquePart(part, at), isBarrier: true };
  const { binding } = readSignature(part);
  const decoded: TextPart = { type: 'text', at, text };
  return binding ? { ...decoded, binding } : decoded;
}

function decodeReasoning(part: WireObject, at: Path): ReasoningPart | undefined {
  const { text, signature } = part;
  if (typeof text !== 'string') return undefined;
  const { binding, length } = readSignature(part);
  // Version 4 kept the signature on the part itself.
  const own = readText(signature).length;
  const decoded = { type: 'reasoning', at, text, opaqueLength: length + own } as const;
  if (binding) return { ...decoded, binding };
  return own > 0 ? { ...decoded, binding: 'content' } : decoded;
}

function reasoning(text: string, opaqueLength: number, at: Path): ReasoningPart {
  return { type: 'reasoning', at, text, opaqueLength, binding: 'content' };
}

function decodeCall(part: WireObject, at: Path): CallPart | undefined {
  const { toolCallId, toolName: name, providerExecuted } = part;
  if (typeof name !== 'string') return undefined;
  const field = part['input'] === undefined && part['args'] !== undefined ? 'args' : 'input';
  const { binding } = readSignature(part);
  const input = { type: 'value', value: part[field], at: [...at, field] } as const;
  const call: CallPart = { type: 'call', at, callId: readCallId(toolCallId), name, input };
  if (!binding && providerExecuted !== true) return call;
  return {
    ...call,
    ...(binding && { binding }),
    ...(providerExecuted === true && { isProviderExecuted: true }),
  };
}

function decodeFile(part: WireObject, data: unknown, at: Path): MediaPart | undefined {
  const read = readFileData(data);
  if (!read) return undefined;
  const stated = readText(part['mediaType']) || readText(part['mimeType']);
  const guess = part['type'] === 'image' ? 'image/*' : 'application/octet-stream';
  const mediaType = stated || read.mediaType || guess;
  const { binding } = readSignature(part);
  const decoded = mediaPart(at, { mediaType, bytes: read.bytes, filename: part['filename'] });
  return binding ? { ...decoded, binding } : decoded;
}

function decodeCustom(part: WireObject, at: Path): Part {
  const opaque = opaquePart(part, at);
  return readText(part['kind']).endsWith('.compaction') ? { ...opaque, isBarrier: true } : opaque;
}
