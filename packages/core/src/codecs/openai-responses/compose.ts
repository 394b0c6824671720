import type { Composed, NeutralContent, NeutralMedia, Synthetic } from '../codec.ts';
import type { NeutralResult, NeutralSpeech, Placed, Said } from '../neutral-parts.ts';
import { jsonText, mediaStub, runsOf, sayAll, sayContent } from '../neutral-parts.ts';
import { urlOfSource } from '../media.ts';
import type { InputBlock, ResponsesItem } from './wire.ts';

/** Calls and results are items of their own, and so is each text of an assistant; other roles say one message. */
export function composeResponses(item: Synthetic): Composed<ResponsesItem> {
  const composed = runsOf(item).flatMap((run) => {
    if (run.type === 'results') return run.results.map(composeResult);
    return item.role === 'assistant' ? [composeAssistant(run.parts)] : [composeMessage(item.role, run.parts)];
  });
  return {
    messages: composed.flatMap(({ messages }) => messages),
    losses: composed.flatMap(({ losses }) => losses),
  };
}

function composeMessage(
  role: Exclude<Synthetic['role'], 'assistant'>,
  parts: readonly Placed<NeutralSpeech>[],
): Composed<ResponsesItem> {
  const { blocks, losses } = sayAll(parts, sayInput);
  const message = {
    type: 'message',
    role: role === 'tool' ? 'user' : role,
    content: shortest(blocks),
  } as const;
  return { messages: blocks.length === 0 ? [] : [message], losses };
}

function composeAssistant(parts: readonly Placed<NeutralSpeech>[]): Composed<ResponsesItem> {
  const { blocks, losses } = sayAll(parts, sayAsAssistant);
  return { messages: blocks, losses };
}

function composeResult({ part, index }: Placed<NeutralResult>): Composed<ResponsesItem> {
  const { blocks, losses } = sayContent(part.content, index, sayInput);
  const errorLoss = part.isError
    ? [{ path: `parts[${index}]`, reason: 'results have no error flag here' }]
    : [];
  const output = { type: 'function_call_output', call_id: part.callId, output: shortest(blocks) } as const;
  return { messages: [output], losses: [...losses, ...errorLoss] };
}

function shortest(blocks: readonly InputBlock[]): string | InputBlock[] {
  const [first] = blocks;
  if (!first) return '';
  return blocks.length === 1 && first.type === 'input_text' ? first.text : [...blocks];
}

function sayAsAssistant(part: NeutralSpeech): Said<ResponsesItem> {
  if (part.type === 'text') return { blocks: part.text === '' ? [] : [assistantText(part.text)] };
  if (part.type === 'media') {
    return {
      blocks: [assistantText(mediaStub(part))],
      reason: `an assistant message holds no ${part.mediaType}`,
    };
  }
  if (part.type === 'reasoning') return { blocks: [], reason: 'only encrypted reasoning is accepted' };
  const { callId, name, input } = part;
  const text = typeof input === 'string' ? input : jsonText(input ?? {});
  return { blocks: [{ type: 'function_call', call_id: callId, name, arguments: text }] };
}

function assistantText(content: string): ResponsesItem {
  return { type: 'message', role: 'assistant', content };
}

function sayInput(part: NeutralSpeech | NeutralContent): Said<InputBlock> {
  if (part.type === 'text')
    return { blocks: part.text === '' ? [] : [{ type: 'input_text', text: part.text }] };
  if (part.type === 'media') return sayMedia(part);
  return {
    blocks: [],
    reason: part.type === 'call' ? 'only an assistant calls tools' : 'only an assistant thinks',
  };
}

function sayMedia(part: NeutralMedia): Said<InputBlock> {
  const { mediaType, source, filename } = part;
  const url = urlOfSource(part);
  if (mediaType.startsWith('image/'))
    return { blocks: [{ type: 'input_image', image_url: url, detail: 'auto' }] };
  if (mediaType.startsWith('audio/') || mediaType.startsWith('video/')) {
    return {
      blocks: [{ type: 'input_text', text: mediaStub(part) }],
      reason: `the format holds no ${mediaType}`,
    };
  }
  if (source.type === 'url') return { blocks: [{ type: 'input_file', file_url: url }] };
  return { blocks: [{ type: 'input_file', file_data: url, filename: filename ?? 'file' }] };
}
