import { listOf, objectOf, parseJson, textOf } from '@throughline/core/internal';
import { rewritten } from '../shared/stream-event.ts';
import type { CallRules, IsDropped, SaidCall, SaidCollector, SaidParts } from '../shared/said.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** A block while its pieces come. */
interface BlockSoFar {
  readonly index: unknown;
  value: WireObject;
  /** Arguments, as JSON text. */
  json: string;
}

type DeltaRule = (block: BlockSoFar, delta: WireObject) => void;

const adds =
  (field: string): DeltaRule =>
  (block, delta) => {
    block.value = { ...block.value, [field]: textOf(block.value[field]) + textOf(delta[field]) };
  };

const deltaRules: ReadonlyMap<unknown, DeltaRule> = new Map<unknown, DeltaRule>([
  ['text_delta', adds('text')],
  ['thinking_delta', adds('thinking')],
  ['signature_delta', adds('signature')],
  [
    'input_json_delta',
    (block, delta) => {
      block.json += textOf(delta['partial_json']);
    },
  ],
  [
    'citations_delta',
    (block, delta) => {
      const citations = [...listOf(block.value['citations']), delta['citation']];
      block.value = { ...block.value, citations };
    },
  ],
]);

const ends: ReadonlySet<unknown> = new Set(['message_delta', 'message_stop', 'error']);

class MessagesCollector implements SaidCollector {
  readonly #blocks: BlockSoFar[] = [];

  take({ value }: StreamEvent): void {
    if (!value) return;
    const { type, index } = value;
    if (type === 'content_block_start')
      this.#blocks.push({ index, value: objectOf(value['content_block']), json: '' });
    const delta = objectOf(value['delta']);
    const block = type === 'content_block_delta' ? this.#blockAt(index) : undefined;
    if (block) deltaRules.get(delta['type'])?.(block, delta);
  }

  say(text: string): void {
    const block = this.#blocks.at(-1);
    if (block) adds('text')(block, { text });
  }

  get parts(): SaidParts {
    return this.#blocks.map(wholeBlock);
  }

  without(events: readonly StreamEvent[], isDropped: IsDropped, keepsEnd: boolean): readonly StreamEvent[] {
    const calls = this.#blocks.filter(({ value }) => isCall(value));
    const dropped = new Set(calls.filter((block) => isDropped(callOf(wholeBlock(block)))));
    return events.flatMap((event) => {
      const { value } = event;
      const type = value?.['type'] ?? event.name;
      if (ends.has(type) && !keepsEnd) return [];
      if (!value) return [event];
      const block = 'index' in value ? this.#blockAt(value['index']) : undefined;
      if (block && dropped.has(block)) return [];
      if (type !== 'message_delta') return [event];
      const delta = objectOf(value['delta']);
      const reason = reasonWithout(delta['stop_reason'], calls.length - dropped.size);
      return [rewritten(event, { ...value, delta: { ...delta, stop_reason: reason } })];
    });
  }

  #blockAt(index: unknown): BlockSoFar | undefined {
    return this.#blocks.findLast((block) => block.index === index);
  }
}

function wholeBlock({ value, json }: BlockSoFar): WireObject {
  return json === '' ? value : { ...value, input: objectOf(parseJson(json)) };
}

function isCall({ type }: WireObject): boolean {
  return type === 'tool_use';
}

function callOf({ id, name, input }: WireObject): SaidCall {
  return { id: textOf(id), name: textOf(name), input };
}

function reasonWithout(reason: unknown, calls: number): unknown {
  return reason === 'tool_use' && calls === 0 ? 'end_turn' : reason;
}

/** The API takes no text that is empty. */
function isSayable({ type, text }: WireObject): boolean {
  return type !== 'text' || textOf(text).trim() !== '';
}

export const messagesCalls: CallRules = {
  createCollector: () => new MessagesCollector(),
  beginsCall: ({ value }) =>
    value?.['type'] === 'content_block_start' && isCall(objectOf(value['content_block'])),
  partsOf: (body) => listOf(body['content']).map(objectOf),
  callsIn: (parts) => parts.filter(isCall).map(callOf),
  withoutCalls: (body, isDropped) => {
    const blocks = listOf(body['content']).map(objectOf);
    const content = blocks.filter((block) => !isCall(block) || !isDropped(callOf(block)));
    return {
      ...body,
      content,
      stop_reason: reasonWithout(body['stop_reason'], content.filter(isCall).length),
    };
  },
  exchange: (parts, results) => [
    { role: 'assistant', content: parts.filter(isSayable) },
    {
      role: 'user',
      content: results.map(({ call, text, isError }) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        content: text,
        ...(isError && { is_error: true }),
      })),
    },
  ],
};
