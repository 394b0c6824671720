import { runsOf } from '@throughline/core';
import type { Composed, Loss, NeutralContent, NeutralPart, Synthetic } from '@throughline/core';

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Said {
  readonly blocks: readonly Block[];
  readonly losses: readonly Loss[];
}

/**
 * Messages of pi's agent. Time, model and usage are not known here: the writer of a session file fills them in from
 * the messages beside. A system message becomes a user message, since pi keeps its own system prompt.
 */
export function composePi(item: Synthetic): Composed<unknown> {
  const messages: unknown[] = [];
  const losses: Loss[] = [];
  for (const run of runsOf(item)) {
    if (run.type === 'results') {
      for (const { part, index } of run.results) {
        const said = sayAll(part.content, index);
        losses.push(...said.losses);
        messages.push({
          role: 'toolResult',
          toolCallId: part.callId,
          toolName: part.name,
          content: said.blocks,
          isError: part.isError,
        });
      }
      continue;
    }
    const role = item.role === 'assistant' ? 'assistant' : 'user';
    const said = run.parts.map(({ part, index }) =>
      role === 'assistant' ? sayAssistant(part, index) : say(part, index),
    );
    const content = said.flatMap(({ blocks }) => blocks);
    losses.push(...said.flatMap((one) => one.losses));
    if (content.length > 0) messages.push({ role, content });
  }
  return { messages, losses };
}

function sayAll(content: readonly NeutralContent[], index: number): Said {
  const said = content.map((part) => say(part, index));
  return { blocks: said.flatMap(({ blocks }) => blocks), losses: said.flatMap(({ losses }) => losses) };
}

function sayAssistant(part: NeutralPart, index: number): Said {
  if (part.type === 'call') {
    return {
      blocks: [{ type: 'toolCall', id: part.callId, name: part.name, arguments: part.input ?? {} }],
      losses: [],
    };
  }
  if (part.type === 'reasoning') return { blocks: [{ type: 'thinking', thinking: part.text }], losses: [] };
  return part.type === 'text' ? say(part, index) : lost(index, 'an assistant says only text here');
}

function say(part: NeutralPart, index: number): Said {
  if (part.type === 'text')
    return { blocks: part.text === '' ? [] : [{ type: 'text', text: part.text }], losses: [] };
  if (part.type !== 'media') return lost(index, `no ${part.type} in this role`);
  if (part.source.type === 'url' || !part.mediaType.startsWith('image/')) {
    return lost(index, `no ${part.mediaType} from a ${part.source.type} source`);
  }
  return { blocks: [{ type: 'image', data: part.source.data, mimeType: part.mediaType }], losses: [] };
}

function lost(index: number, reason: string): Said {
  return { blocks: [], losses: [{ path: `parts[${index}]`, reason }] };
}
