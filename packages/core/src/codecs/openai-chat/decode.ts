import type { Path } from '../../json/json.ts';
import { isObject, textOf } from '../../json/json.ts';
import type {
  CallInput,
  CallPart,
  Entry,
  MediaPart,
  Part,
  ReasoningPart,
  ResultPiece,
  Role,
} from '../../transcript/entry.ts';
import type { DecoderTable, PartDecoder, Roles, WireObject } from '../decode-parts.ts';
import {
  contentAt,
  decodeBlock,
  decodeContent,
  decodePieces,
  decodeRefusal,
  decodeText,
  makeEntry,
  opaqueEntry,
  opaquePart,
  readCallId,
} from '../decode-parts.ts';
import { decodeAudio, decodeFile, mediaAtUrl, mediaPart } from '../media.ts';

export const roles: Roles = new Map<unknown, Role>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const contentBlocks: DecoderTable<ResultPiece> = new Map<string, PartDecoder<ResultPiece>>([
  ['text', decodeText],
  ['refusal', decodeRefusal],
  ['image_url', (block, at) => decodeUrl(block['image_url'], at, 'image/*')],
  ['video_url', (block, at) => decodeUrl(block['video_url'], at, 'video/*')],
  ['input_audio', decodeAudio],
  // No URL of a file is read here.
  ['file', ({ file }, at) => (isObject(file) ? decodeFile({ ...file, file_url: undefined }, at) : undefined)],
]);

/** Reasoning as OpenRouter and LiteLLM pass it on: signed and encrypted blocks go back whole or not at all. */
const reasoningBlocks: DecoderTable<ReasoningPart> = new Map([
  ['reasoning.text', ({ text, signature }, at) => decodeReasoning(textOf(text), textOf(signature), at)],
  ['reasoning.summary', ({ summary }, at) => decodeReasoning(textOf(summary), '', at)],
  ['reasoning.encrypted', ({ data }, at) => decodeReasoning('', textOf(data), at)],
  ['thinking', ({ thinking, signature }, at) => decodeReasoning(textOf(thinking), textOf(signature), at)],
  ['redacted_thinking', ({ data }, at) => decodeReasoning('', textOf(data), at)],
]);

const reasoningLists = ['reasoning_details', 'thinking_blocks'];
const reasoningTexts = ['reasoning_content', 'reasoning'];

const wholeMessage: Path = [];

export function decodeOpenaiChat(message: unknown, ordinal: number): Entry {
  if (!isObject(message)) return opaqueEntry(message, ordinal, 'user');
  const role = roles.get(message['role']);
  if (!role) return opaqueEntry(message, ordinal, 'user');
  const parts = role === 'tool' ? [decodeResult(message)] : decodeSpeech(message, role);
  return makeEntry({ wire: message }, ordinal, role, parts);
}

function decodeSpeech(message: WireObject, role: Role): Part[] {
  const content = decodeContent<ResultPiece>(message['content'], contentAt, contentBlocks);
  if (role !== 'assistant') return content;
  const { refusal, audio, function_call: legacyCall, tool_calls: calls } = message;
  const said: Part[] = [];
  if (typeof refusal === 'string' && refusal !== '')
    said.push({ type: 'text', at: ['refusal'], text: refusal });
  if (audio !== undefined && audio !== null) said.push(opaquePart(audio, ['audio']));
  if (legacyCall !== undefined && legacyCall !== null) said.push(decodeLegacyCall(legacyCall));
  // `concat` makes a list of the length it needs: one that grows keeps room for sixteen more, as long as the history lives.
  return decodeAllReasoning(message).concat(content, said, decodeCalls(calls));
}

function decodeCalls(calls: unknown): readonly Part[] {
  if (Array.isArray(calls)) return [...calls].map((call, index) => decodeCall(call, ['tool_calls', index]));
  return calls === undefined || calls === null ? noParts : [opaquePart(calls, ['tool_calls'])];
}

const noParts: readonly Part[] = [];

function decodeAllReasoning(message: WireObject): Part[] {
  const parts: Part[] = [];
  for (const name of reasoningTexts) {
    const text = message[name];
    if (typeof text === 'string' && text !== '')
      parts.push({ type: 'reasoning', at: [name], text, opaqueLength: 0 });
  }
  for (const name of reasoningLists) {
    const list = message[name];
    if (!Array.isArray(list)) continue;
    list.forEach((block, index) => parts.push(decodeBlock(block, [name, index], reasoningBlocks)));
  }
  return parts;
}

function decodeReasoning(text: string, secret: string, at: Path): ReasoningPart {
  const part = { type: 'reasoning', at, text, opaqueLength: secret.length } as const;
  return secret === '' ? part : { ...part, binding: 'content' };
}

function decodeResult(message: WireObject): Part {
  const { tool_call_id: id, name } = message;
  const part = {
    type: 'result',
    at: wholeMessage,
    callId: readCallId(id, name, message['tool_name']),
    isError: false,
    pieces: decodePieces(message['content'], contentAt, contentBlocks),
  } as const;
  return typeof name === 'string' ? { ...part, name } : part;
}

/** Before tools there was one `function_call` without an id; its result is found by the name. */
function decodeLegacyCall(call: unknown): Part {
  const at = ['function_call'];
  if (!isObject(call) || typeof call['name'] !== 'string') return opaquePart(call, at);
  const { name } = call;
  return {
    type: 'call',
    at,
    callId: readCallId(name),
    name,
    input: readInput(call['arguments'], [...at, 'arguments']),
  };
}

function decodeCall(call: unknown, at: Path): Part {
  if (!isObject(call)) return opaquePart(call, at);
  const { function: named, custom } = call;
  if (isObject(named) && typeof named['name'] === 'string') {
    const input = readInput(named['arguments'], [...at, 'function', 'arguments']);
    return callPart(call, named['name'], input, at);
  }
  if (isObject(custom) && typeof custom['name'] === 'string') {
    const input = { type: 'value', value: custom['input'], at: [...at, 'custom', 'input'] } as const;
    return callPart(call, custom['name'], input, at);
  }
  return opaquePart(call, at);
}

function callPart(call: WireObject, name: string, input: CallInput, at: Path): CallPart {
  const part = { type: 'call', at, callId: readCallId(call['id'], name), name, input } as const;
  return isSigned(call) ? { ...part, binding: 'content' } : part;
}

/** Gemini signs calls; its OpenAI-compatible endpoint carries the signature beside the call. */
function isSigned(call: WireObject): boolean {
  const extra = call['extra_content'];
  const google = isObject(extra) ? extra['google'] : undefined;
  return isObject(google) && typeof google['thought_signature'] === 'string';
}

function readInput(value: unknown, at: Path): CallInput {
  return typeof value === 'string' ? { type: 'text', text: value, at } : { type: 'value', value, at };
}

function decodeUrl(value: unknown, at: Path, guess: string): MediaPart | undefined {
  const url = isObject(value) ? value['url'] : value;
  if (typeof url !== 'string') return undefined;
  return mediaPart(at, { ...mediaAtUrl(url, guess), detail: isObject(value) ? value['detail'] : undefined });
}
