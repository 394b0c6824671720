import type { Path } from '../../json/json.ts';
import { isObject, textOf } from '../../json/json.ts';
import type {
  CallPart,
  Entry,
  MediaPart,
  Part,
  ReasoningPart,
  ResultPart,
  ResultPiece,
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
import { base64Media, mediaAtUrl, mediaElsewhere, mediaPart } from '../media.ts';

export const roles = sameRoles('user', 'assistant', 'system');

/** What may stand in a tool result; everything else in one is opaque. */
const pieces: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['text', decodeText],
  ['image', (block, at) => decodeSource(block, at, 'image/*')],
  ['document', (block, at) => decodeSource(block, at, 'application/pdf')],
]);

const blocks: DecoderTable = new Map<string, PartDecoder>([
  ...pieces,
  ['thinking', decodeThinking],
  ['redacted_thinking', ({ data }, at) => ({ ...secret(textOf(data), at), text: '' })],
  ['tool_use', decodeCall],
  ['server_tool_use', decodeServerCall],
  ['mcp_tool_use', decodeServerCall],
  ['tool_result', decodeResult],
  ['mcp_tool_result', (block, at) => asProviderExecuted(decodeResult(block, at))],
  ['compaction', (block, at) => ({ ...opaquePart(block, at), isBarrier: true })],
  ...[
    'web_search_tool_result',
    'web_fetch_tool_result',
    'advisor_tool_result',
    'code_execution_tool_result',
    'bash_code_execution_tool_result',
    'text_editor_code_execution_tool_result',
    'tool_search_tool_result',
  ].map((type): [string, PartDecoder] => [type, decodeServerResult]),
]);

export function decodeAnthropic(message: unknown, ordinal: number): Entry {
  const role = isObject(message) ? roles.get(message['role']) : undefined;
  if (!isObject(message) || !role) return opaqueEntry(message, ordinal, 'user');
  const parts = decodeContent<Part>(message['content'], ['content'], blocks);
  // The id of a response is not used: logs repeat it over several messages.
  return makeEntry({ wire: message }, ordinal, role, parts);
}

function decodeThinking({ thinking, signature }: WireObject, at: Path): ReasoningPart | undefined {
  if (typeof thinking !== 'string') return undefined;
  const isSigned = typeof signature === 'string' && signature !== '';
  return isSigned
    ? { ...secret(signature, at), text: thinking }
    : { type: 'reasoning', at, text: thinking, opaqueLength: 0 };
}

function secret(value: string, at: Path): Omit<ReasoningPart, 'text'> {
  return { type: 'reasoning', at, opaqueLength: value.length, binding: 'content' };
}

function decodeCall({ id, name, input }: WireObject, at: Path): CallPart | undefined {
  if (typeof name !== 'string') return undefined;
  const place = [...at, 'input'];
  return {
    type: 'call',
    at,
    callId: readCallId(id),
    name,
    input: { type: 'value', value: input, at: place },
  };
}

function decodeServerCall(block: WireObject, at: Path): CallPart | undefined {
  return asProviderExecuted(decodeCall(block, at));
}

function decodeResult(block: WireObject, at: Path): ResultPart | undefined {
  const { tool_use_id: id, is_error: isError, content } = block;
  if (typeof id !== 'string') return undefined;
  return {
    type: 'result',
    at,
    callId: readCallId(id),
    isError: isError === true,
    pieces: decodePieces(content, [...at, 'content'], pieces),
  };
}

/** Results of server tools are partly encrypted and have a form of their own: one opaque piece. */
function decodeServerResult(block: WireObject, at: Path): ResultPart | undefined {
  const { tool_use_id: id, content } = block;
  if (typeof id !== 'string') return undefined;
  const isError = isObject(content) && textOf(content['type']).endsWith('_error');
  const piece = opaquePart(content, [...at, 'content']);
  return { type: 'result', at, callId: readCallId(id), isError, pieces: [piece], isProviderExecuted: true };
}

function decodeSource(block: WireObject, at: Path, guess: string): MediaPart | undefined {
  const { source, title: filename } = block;
  if (!isObject(source)) return undefined;
  const { type, data, url, media_type: mediaType } = source;
  if (type === 'base64' && typeof data === 'string') {
    return mediaPart(at, { mediaType: textOf(mediaType) || guess, bytes: base64Media(data), filename });
  }
  if (type === 'url' && typeof url === 'string')
    return mediaPart(at, { ...mediaAtUrl(url, guess), filename });
  // Plain text documents are text to the model, but their place holds no text block: they stay opaque.
  return type === 'file' ? mediaPart(at, { mediaType: guess, bytes: mediaElsewhere, filename }) : undefined;
}
