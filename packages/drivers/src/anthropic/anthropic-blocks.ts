import type { Json } from '@throughline/core/codec';
import type { ModelEvent } from '@throughline/ports';
import { isObject, listOf, objectOf, parseArguments, sendableInput, textOf } from '../stream/wire-value.ts';
import type { WireObject } from '../stream/wire-value.ts';

/** A block that is being streamed: the fields it began with, and those that its deltas wrote. */
export interface OpenBlock {
  readonly id: string;
  readonly fields: Record<string, unknown>;
  /** Pieces of `input`, as JSON text. */
  readonly input: string[];
}

type Events = readonly ModelEvent[];

/** How a type of block begins, ends, and goes back. */
interface BlockKind {
  readonly start: (block: OpenBlock) => Events;
  /** Also completes the block's fields. */
  readonly stop: (block: OpenBlock) => Events;
}

const nothing = (): Events => [];

const text: BlockKind = {
  start: ({ id, fields }) => [
    { type: 'text-start', id },
    { type: 'text-delta', id, text: textOf(fields['text']) },
  ],
  stop: ({ id }) => [{ type: 'text-end', id }],
};

const thinking: BlockKind = {
  start: ({ id, fields }) => [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, text: textOf(fields['thinking']) },
  ],
  stop: ({ id, fields }) => {
    const signature = textOf(fields['signature']);
    return [{ type: 'reasoning-end', id, ...(signature !== '' && { secret: { signature } }) }];
  },
};

const redacted: BlockKind = {
  start: ({ id }) => [{ type: 'reasoning-start', id }],
  stop: ({ id, fields }) => [{ type: 'reasoning-end', id, secret: { data: textOf(fields['data']) } }],
};

const callBy = (isProviderExecuted: boolean): BlockKind => ({
  start: ({ fields }) => [
    {
      type: 'tool-input-start',
      callId: textOf(fields['id']),
      name: textOf(fields['name']),
      isProviderExecuted,
    },
  ],
  stop: ({ fields, input }) => {
    const [callId, name] = [textOf(fields['id']), textOf(fields['name'])];
    // Some servers send the input whole with the start, and no deltas.
    const given = fields['input'];
    const whole = isObject(given) && Object.keys(given).length > 0 ? JSON.stringify(given) : '';
    const parsed = parseArguments(input.join('') || whole);
    fields['input'] = sendableInput(parsed);
    return [
      { type: 'tool-input-end', callId },
      { type: 'call', call: { callId, name, ...parsed, isProviderExecuted } },
    ];
  },
});

const serverResult: BlockKind = {
  start: nothing,
  stop: ({ fields }) => {
    const content = fields['content'];
    const isError = fields['is_error'] === true || textOf(objectOf(content)['type']).endsWith('_error');
    return [
      {
        type: 'provider-result',
        callId: textOf(fields['tool_use_id']),
        name: textOf(fields['type']).replace(/_tool_result$/, ''),
        output: (content ?? null) as Json,
        isError,
      },
    ];
  },
};

const kinds: ReadonlyMap<string, BlockKind> = new Map([
  ['text', text],
  ['thinking', thinking],
  ['redacted_thinking', redacted],
  ['tool_use', callBy(false)],
  ['server_tool_use', callBy(true)],
  ['mcp_tool_use', callBy(true)],
]);

/** What is not known (a compaction, say) is no event; it stays in the message. */
const unknown: BlockKind = { start: nothing, stop: nothing };

export function blockKind(type: string): BlockKind {
  return kinds.get(type) ?? (type.endsWith('_tool_result') ? serverResult : unknown);
}

type DeltaReader = (block: OpenBlock, delta: WireObject) => Events;

const append = (fields: Record<string, unknown>, name: string, piece: unknown): string => {
  fields[name] = textOf(fields[name]) + textOf(piece);
  return textOf(piece);
};

const deltas: ReadonlyMap<string, DeltaReader> = new Map<string, DeltaReader>([
  [
    'text_delta',
    ({ id, fields }, delta) => [{ type: 'text-delta', id, text: append(fields, 'text', delta['text']) }],
  ],
  [
    'thinking_delta',
    ({ id, fields }, delta) => [
      { type: 'reasoning-delta', id, text: append(fields, 'thinking', delta['thinking']) },
    ],
  ],
  [
    'signature_delta',
    ({ fields }, delta) => {
      append(fields, 'signature', delta['signature']);
      return [];
    },
  ],
  [
    'input_json_delta',
    ({ fields, input }, delta) => {
      const piece = textOf(delta['partial_json']);
      input.push(piece);
      return piece === '' ? [] : [{ type: 'tool-input-delta', callId: textOf(fields['id']), text: piece }];
    },
  ],
  [
    'citations_delta',
    ({ fields }, delta) => {
      fields['citations'] = [...listOf(fields['citations']), delta['citation']];
      const { url, title } = objectOf(delta['citation']);
      if (typeof url !== 'string') return [];
      return [{ type: 'source', url, ...(typeof title === 'string' && { title }) }];
    },
  ],
  [
    'compaction_delta',
    ({ fields }, delta) => {
      append(fields, 'content', delta['content']);
      return [];
    },
  ],
]);

export function readBlockDelta(block: OpenBlock, delta: WireObject): Events {
  return deltas.get(textOf(delta['type']))?.(block, delta) ?? [];
}
