import { describeCall, sameThingKey } from './describe-call.ts';
import { entryText, resultText } from '@throughline/core';
import type { CallPart, Entry, Part, Transcript } from '@throughline/core';

type ItemKind = 'system' | 'text' | 'reasoning' | 'call' | 'result' | 'media' | 'other';

/** One part of one message, measured. The rows that all of `inspect` is added up from. */
export interface Item {
  readonly recallId: string;
  /** Position of its message. */
  readonly position: number;
  readonly role: Entry['role'];
  readonly kind: ItemKind;
  readonly tokens: number;
  readonly part: Part;
  /** Of a call, and of a result whose call is known. */
  readonly tool?: string;
  readonly call?: CallPart;
}

const kinds: Readonly<Record<Part['type'], ItemKind>> = {
  text: 'text',
  reasoning: 'reasoning',
  call: 'call',
  result: 'result',
  media: 'media',
  opaque: 'other',
};

/** All parts of a transcript in order. A result is paired with the nearest earlier call of its id: ids repeat. */
export function listItems({ conversation }: Transcript): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, CallPart>();
  let position = 0;
  for (const entry of conversation.entries) {
    const sizes = conversation.sizes.at(position)?.parts ?? [];
    for (const [index, part] of entry.parts.entries()) {
      if (part.type === 'call') calls.set(part.callId, part);
      const call = part.type === 'call' ? part : part.type === 'result' ? calls.get(part.callId) : undefined;
      const tool = call?.name ?? (part.type === 'result' ? part.name : undefined);
      items.push({
        recallId: entry.parts.length > 1 ? `m${entry.ordinal}.${index}` : `m${entry.ordinal}`,
        position,
        role: entry.role,
        kind: entry.role === 'system' && part.type === 'text' ? 'system' : kinds[part.type],
        tokens: sizes[index] ?? 0,
        part,
        ...(tool === undefined ? {} : { tool }),
        ...(call === undefined ? {} : { call }),
      });
    }
    position += 1;
  }
  return items;
}

/** What an item is, in one line of plain text. */
export function describeItem({ part, call, tool }: Item): string {
  if (part.type === 'call') return `${part.name} ${describeCall(part)}`;
  if (part.type === 'result') {
    return call
      ? `${call.name} ${describeCall(call)}`
      : `${tool ?? 'unknown tool'} ${resultText(part).slice(0, 200)}`;
  }
  if (part.type === 'text' || part.type === 'reasoning') return part.text.trimStart().slice(0, 200);
  if (part.type === 'media') return part.filename ?? part.mediaType;
  return 'data of the provider';
}

/** How a message's text begins. */
export function excerptOf(entry: Entry): string {
  return entryText(entry).trim().slice(0, 200);
}

/** See `sameThingKey`; `undefined` for what is no result of a known call. */
export function repeatKey({ kind, call }: Item): string | undefined {
  return kind === 'result' && call ? sameThingKey(call) : undefined;
}
