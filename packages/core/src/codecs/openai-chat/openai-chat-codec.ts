import type { WireEdit } from '../../json/json.ts';
import { isObject } from '../../json/json.ts';
import type { Codec, NeutralMedia, WireRules } from '../codec.ts';
import { sourceOfData, sourceOfUrl, urlOfSource } from '../media.ts';
import type { NeutralResult, NeutralSpeech, Said, TextBlock, Writers } from '../neutral-parts.ts';
import {
  argumentsText,
  composeRuns,
  errorReasons,
  inOneMessage,
  neutralParts,
  sayAll,
  sayContent,
  sayOnlyText,
  shortest,
  textBlock,
} from '../neutral-parts.ts';
import { decodeOpenaiChat } from './decode.ts';
import { mendOpenaiChat } from './mend.ts';
import type { ChangeOfType, EditTable } from '../edit-table.ts';
import { blockEdits, editResult, editTextPart, editWith, removeAt } from '../edit-table.ts';

const rules: WireRules = {
  resultsIn: 'tool-message',
  entriesPerResponse: 'one',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'anywhere',
  uniqueCallIds: false,
  resultsAdjacent: true,
  mediaIn: { user: true, assistant: false, result: false },
  resultsFirst: false,
};

/** OpenAI Chat Completions messages, and what compatible servers add to them. */
export const openaiChatCodec: Codec = {
  name: 'openai-chat',
  rules,
  decode: decodeOpenaiChat,
  mend: mendOpenaiChat,
  edit: (entry, changes) => editWith(edits, { entry, changes }, emptied),
  compose: (item) => composeRuns(item, writers),
  neutral: (entry) => neutralParts(entry, readMedia),
};

function readMedia(block: unknown): NeutralMedia['source'] | undefined {
  if (!isObject(block)) return undefined;
  const { input_audio: audio, file } = block;
  if (isObject(audio) && typeof audio['data'] === 'string') return { type: 'base64', data: audio['data'] };
  if (isObject(file))
    return typeof file['file_data'] === 'string' ? sourceOfData(file['file_data']) : undefined;
  const place = block['image_url'] ?? block['video_url'];
  const url = isObject(place) ? place['url'] : place;
  return typeof url === 'string' ? sourceOfUrl(url) : undefined;
}

const edits: EditTable = {
  ...blockEdits,
  'replace-result': (change, context) => editResult(change, context, { contentAt: ['content'], textBlock }),
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text', 'refusal']),
  'rename-call': renameCall,
  'drop-part': dropPart,
};

/** Calls of the legacy form have no id, so there is none to change. */
function renameCall({ part, callId }: ChangeOfType<'rename-call'>): readonly WireEdit[] {
  if (part.type === 'result') return [{ at: ['tool_call_id'], set: callId }];
  return part.at[0] === 'tool_calls' ? [{ at: [...part.at, 'id'], set: callId }] : [];
}

/** `content` and `refusal` may be null but some servers want them there. */
function dropPart({ part: { at } }: ChangeOfType<'drop-part'>): readonly WireEdit[] {
  const isNullable = at.length === 1 && (at[0] === 'content' || at[0] === 'refusal');
  return isNullable ? [{ at, set: null }] : removeAt(at);
}

const emptied: ReadonlyMap<string, WireEdit> = new Map<string, WireEdit>([
  ['content', { at: ['content'], set: null }],
  ['tool_calls', { at: ['tool_calls'], remove: true }],
  ['reasoning_details', { at: ['reasoning_details'], remove: true }],
  ['thinking_blocks', { at: ['thinking_blocks'], remove: true }],
]);

const writers: Writers<OpenaiChatMessage> = {
  results: (results) => sayAll(results, sayResult),
  system: (parts) =>
    inOneMessage(sayAll(parts, sayAsText), (said) => ({ role: 'system', content: shortest(said) })),
  user: (parts) =>
    inOneMessage(sayAll(parts, sayAsUser), (said) => ({ role: 'user', content: shortest(said) })),
  assistant: (parts) => inOneMessage(sayAll(parts, sayAsAssistant), writeAnswer),
};

function writeAnswer(blocks: readonly (TextBlock | ToolCall)[]): OpenaiChatMessage {
  const texts = blocks.filter((block) => block.type === 'text');
  const calls = blocks.filter((block) => block.type === 'function');
  const content = texts.length === 0 ? null : shortest(texts);
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}

function sayResult(result: NeutralResult): Said<OpenaiChatMessage> {
  const { blocks, reasons } = sayContent(result.content, sayAsText);
  return {
    blocks: [{ role: 'tool', tool_call_id: result.callId, content: shortest(blocks) }],
    reasons: [...reasons, ...errorReasons(result)],
  };
}

function sayAsAssistant(part: NeutralSpeech): Said<TextBlock | ToolCall> {
  if (part.type !== 'call') return sayAsText(part);
  const text = argumentsText(part.input);
  return { blocks: [{ id: part.callId, type: 'function', function: { name: part.name, arguments: text } }] };
}

function sayAsUser(part: NeutralSpeech): Said<UserBlock> {
  return part.type === 'media' ? sayMedia(part) : sayAsText(part);
}

function sayAsText(part: NeutralSpeech): Said<TextBlock> {
  return part.type === 'reasoning'
    ? { blocks: [], reasons: ['reasoning is not sent back'] }
    : sayOnlyText(part);
}

const audioFormats: ReadonlyMap<string, 'wav' | 'mp3'> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
] as const);

function sayMedia(part: NeutralMedia): Said<UserBlock> {
  const { mediaType, source, filename } = part;
  const url = urlOfSource(part);
  if (mediaType.startsWith('image/')) return { blocks: [{ type: 'image_url', image_url: { url } }] };
  const format = audioFormats.get(mediaType);
  if (source.type === 'url') return sayOnlyText(part);
  if (format) return { blocks: [{ type: 'input_audio', input_audio: { data: source.data, format } }] };
  return { blocks: [{ type: 'file', file: { file_data: url, filename: filename ?? 'file' } }] };
}

/** The part of the Chat Completions format that this codec writes. It reads more; see `decode.ts`. */
export type OpenaiChatMessage =
  | { role: 'system'; content: string | TextBlock[] }
  | { role: 'user'; content: string | UserBlock[] }
  | { role: 'assistant'; content: string | TextBlock[] | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string | TextBlock[] };

type UserBlock =
  | TextBlock
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } }
  | { type: 'file'; file: { file_data: string; filename: string } };

interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}
