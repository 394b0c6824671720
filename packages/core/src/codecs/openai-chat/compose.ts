import type { Composed, NeutralContent, NeutralMedia, Synthetic } from '../codec.ts';
import type { NeutralResult, NeutralSpeech, Placed, Said } from '../compose-parts.ts';
import { runsOf, sayAll, sayContent } from '../compose-parts.ts';
import { urlOfSource } from '../media.ts';
import { jsonText, mediaStub } from '../neutral-parts.ts';
import type { OpenaiChatMessage, TextBlock, ToolCall, UserBlock } from './wire.ts';

/** Results become tool messages of their own; the rest one message of the role between them. */
export function composeOpenaiChat(item: Synthetic): Composed<OpenaiChatMessage> {
  const composed = runsOf(item).flatMap((run) =>
    run.type === 'results' ? run.results.map(composeResult) : [composeSpeech(item.role, run.parts)],
  );
  return {
    messages: composed.flatMap(({ messages }) => messages),
    losses: composed.flatMap(({ losses }) => losses),
  };
}

function composeSpeech(
  role: Synthetic['role'],
  parts: readonly Placed<NeutralSpeech>[],
): Composed<OpenaiChatMessage> {
  if (role === 'assistant') return composeAssistant(parts);
  if (role === 'system') {
    const { blocks, losses } = sayAll(parts, sayText);
    return { messages: blocks.length === 0 ? [] : [{ role, content: shortest(blocks) }], losses };
  }
  const { blocks, losses } = sayAll(parts, sayAsUser);
  return { messages: blocks.length === 0 ? [] : [{ role: 'user', content: shortest(blocks) }], losses };
}

function composeAssistant(parts: readonly Placed<NeutralSpeech>[]): Composed<OpenaiChatMessage> {
  const { blocks, losses } = sayAll<NeutralSpeech, TextBlock | ToolCall>(parts, sayAsAssistant);
  const texts = blocks.filter((block) => block.type === 'text');
  const calls = blocks.filter((block) => block.type === 'function');
  if (blocks.length === 0) return { messages: [], losses };
  const content = texts.length === 0 ? null : shortest(texts);
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) } as const;
  return { messages: [message], losses };
}

function composeResult({ part, index }: Placed<NeutralResult>): Composed<OpenaiChatMessage> {
  const { blocks, losses } = sayContent(part.content, index, sayText);
  const errorLoss = part.isError
    ? [{ path: `parts[${index}]`, reason: 'results have no error flag here' }]
    : [];
  const content = shortest(blocks);
  return {
    messages: [{ role: 'tool', tool_call_id: part.callId, content }],
    losses: [...losses, ...errorLoss],
  };
}

/** One text is written as a text: the form every server takes. */
function shortest<Block extends UserBlock>(blocks: readonly Block[]): string | Block[] {
  const [first] = blocks;
  if (!first) return '';
  return blocks.length === 1 && first.type === 'text' ? first.text : [...blocks];
}

function sayAsAssistant(part: NeutralSpeech): Said<TextBlock | ToolCall> {
  if (part.type !== 'call') return sayText(part);
  const text = typeof part.input === 'string' ? part.input : jsonText(part.input ?? {});
  return { blocks: [{ id: part.callId, type: 'function', function: { name: part.name, arguments: text } }] };
}

function sayAsUser(part: NeutralSpeech): Said<UserBlock> {
  return part.type === 'media' ? sayMedia(part) : sayText(part);
}

function sayText(part: NeutralSpeech | NeutralContent): Said<TextBlock> {
  if (part.type === 'text') return { blocks: part.text === '' ? [] : [{ type: 'text', text: part.text }] };
  if (part.type === 'media') {
    return { blocks: [{ type: 'text', text: mediaStub(part) }], reason: `no ${part.mediaType} in this role` };
  }
  return {
    blocks: [],
    reason: part.type === 'call' ? 'only an assistant calls tools' : 'reasoning is not sent back',
  };
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
  if (source.type === 'url') return sayText(part);
  if (format) return { blocks: [{ type: 'input_audio', input_audio: { data: source.data, format } }] };
  return { blocks: [{ type: 'file', file: { file_data: url, filename: filename ?? 'file' } }] };
}
