import type { Composed, NeutralContent, NeutralMedia, Synthetic } from '../codec.ts';
import type { NeutralResult, NeutralSpeech, Placed, Said } from '../neutral-parts.ts';
import { jsonText, mediaStub, runsOf, sayAll, sayContent } from '../neutral-parts.ts';
import { urlOfSource } from '../media.ts';
import type { AgentsBlock, AgentsItem } from './wire.ts';

/** Calls and results are items of their own, and so is each text of an assistant; other roles say one message. */
export function composeAgents(item: Synthetic): Composed<AgentsItem> {
  const composed = runsOf(item).flatMap((run) => {
    if (run.type === 'results') return run.results.map(composeResult);
    return [composeSpeech(item.role, run.parts)];
  });
  return {
    messages: composed.flatMap(({ messages }) => messages),
    losses: composed.flatMap(({ losses }) => losses),
  };
}

function composeSpeech(
  role: Synthetic['role'],
  parts: readonly Placed<NeutralSpeech>[],
): Composed<AgentsItem> {
  if (role === 'assistant') {
    const { blocks, losses } = sayAll(parts, sayAsAssistant);
    return { messages: blocks, losses };
  }
  const { blocks, losses } = sayAll(parts, role === 'system' ? saySystem : sayInput);
  if (blocks.length === 0) return { messages: [], losses };
  if (role !== 'system')
    return { messages: [{ type: 'message', role: 'user', content: shortest(blocks) }], losses };
  const content = blocks.map((block) => (block.type === 'input_text' ? block.text : '')).join('\n\n');
  return { messages: [{ type: 'message', role, content }], losses };
}

function composeResult({ part, index }: Placed<NeutralResult>): Composed<AgentsItem> {
  const { callId, name, content, isError } = part;
  const { blocks, losses } = sayContent(content, index, sayInput);
  const errorLoss = isError ? [{ path: `parts[${index}]`, reason: 'results have no error flag here' }] : [];
  const output = shortest(blocks);
  const result = { type: 'function_call_result', callId, name, status: 'completed', output } as const;
  return { messages: [result], losses: [...losses, ...errorLoss] };
}

function shortest(blocks: readonly AgentsBlock[]): string | AgentsBlock[] {
  const [first] = blocks;
  if (!first) return '';
  return blocks.length === 1 && first.type === 'input_text' ? first.text : [...blocks];
}

function sayAsAssistant(part: NeutralSpeech): Said<AgentsItem> {
  if (part.type === 'text') return { blocks: part.text === '' ? [] : [assistantText(part.text)] };
  if (part.type === 'media') {
    return {
      blocks: [assistantText(mediaStub(part))],
      reason: `an assistant message holds no ${part.mediaType}`,
    };
  }
  if (part.type === 'reasoning') return { blocks: [], reason: 'only reasoning of the provider is accepted' };
  const { callId, name, input } = part;
  const text = typeof input === 'string' ? input : jsonText(input ?? {});
  return { blocks: [{ type: 'function_call', callId, name, arguments: text, status: 'completed' }] };
}

function assistantText(text: string): AgentsItem {
  return {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  };
}

function saySystem(part: NeutralSpeech): Said<AgentsBlock> {
  if (part.type !== 'media') return sayInput(part);
  return {
    blocks: [{ type: 'input_text', text: mediaStub(part) }],
    reason: `no ${part.mediaType} in this role`,
  };
}

function sayInput(part: NeutralSpeech | NeutralContent): Said<AgentsBlock> {
  if (part.type === 'text')
    return { blocks: part.text === '' ? [] : [{ type: 'input_text', text: part.text }] };
  if (part.type === 'media') return sayMedia(part);
  return {
    blocks: [],
    reason: part.type === 'call' ? 'only an assistant calls tools' : 'only an assistant thinks',
  };
}

function sayMedia(part: NeutralMedia): Said<AgentsBlock> {
  const { mediaType, source, filename } = part;
  const url = urlOfSource(part);
  if (mediaType.startsWith('image/')) {
    return { blocks: [{ type: 'input_image', image: url, detail: 'auto' }] };
  }
  if (mediaType.startsWith('audio/') || mediaType.startsWith('video/')) {
    return {
      blocks: [{ type: 'input_text', text: mediaStub(part) }],
      reason: `the format holds no ${mediaType}`,
    };
  }
  const named = filename === undefined ? {} : { filename };
  return { blocks: [{ type: 'input_file', file: source.type === 'url' ? { url } : url, ...named }] };
}
