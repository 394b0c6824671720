import { listOf, objectOf, textOf } from '@throughline/core/internal';
import { isSaid, rewritten } from '../shared/stream-event.ts';
import type { CallRules, IsDropped, SaidCall, SaidCollector, SaidParts } from '../shared/said.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** Calls that can be answered with a text, and under which name. */
const outputTypes: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
]);

/** What else waits for whoever asked. */
const otherCalls: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

const ends: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

interface ItemSoFar {
  readonly value: WireObject;
  readonly isDone: boolean;
}

class ResponsesCollector implements SaidCollector {
  readonly #items = new Map<unknown, ItemSoFar>();
  /** Some servers tell the items at the end only. */
  #atEnd: SaidParts = [];

  take({ value }: StreamEvent): void {
    if (!value) return;
    const { type } = value;
    const isDone = type === 'response.output_item.done';
    if (isDone || type === 'response.output_item.added')
      this.#items.set(keyOf(value), { value: objectOf(value['item']), isDone });
    if (ends.has(type)) this.#atEnd = partsOf(objectOf(value['response']));
  }

  say(): void {}

  get parts(): SaidParts {
    const items = [...this.#items.values()];
    const isTold = items.length > 0 && items.every(({ isDone }) => isDone);
    return isTold || this.#atEnd.length === 0 ? items.map(({ value }) => value) : this.#atEnd;
  }

  without(events: readonly StreamEvent[], isDropped: IsDropped, keepsEnd: boolean): readonly StreamEvent[] {
    const dropped = new Set(
      [...this.#items]
        .filter(([, { value }]) => isCall(value) && isDropped(callOf(value)))
        .map(([key]) => key),
    );
    return events.flatMap((event) => {
      const { value, data } = event;
      const isEnd = ends.has(value?.['type'] ?? event.name) || data.trim() === '[DONE]';
      if (isEnd && !keepsEnd) return [];
      if (!value || (!isEnd && !dropped.has(keyOf(value)))) return [event];
      if (!isEnd) return [];
      const response = objectOf(value['response']);
      if (!isSaid(response['output'])) return [event];
      // What was told one by one is not told once more.
      const output = this.#items.size > 0 ? [] : itemsWithout(response, isDropped);
      return [rewritten(event, { ...value, response: { ...response, output } })];
    });
  }
}

/** Under which an item is told: its place, or its name where a server tells no places. */
function keyOf({ output_index: index, item_id: id, item }: WireObject): unknown {
  return typeof index === 'number' ? index : textOf(id) || textOf(objectOf(item)['id']);
}

function partsOf({ output }: WireObject): SaidParts {
  return listOf(output).map(objectOf);
}

function itemsWithout(response: WireObject, isDropped: IsDropped): SaidParts {
  return partsOf(response).filter((item) => !isCall(item) || !isDropped(callOf(item)));
}

function isCall({ type }: WireObject): boolean {
  return outputTypes.has(type) || otherCalls.has(type);
}

function callOf({ call_id: id, name, arguments: given, input }: WireObject): SaidCall {
  return { id: textOf(id), name: textOf(name), input: given ?? input };
}

/** What stands for a thought that the server does not keep, and did not hand out, says nothing to it. */
function isSayable({ type, encrypted_content: sealed }: WireObject, { store }: WireObject): boolean {
  if (otherCalls.has(type)) return false;
  return type !== 'reasoning' || store !== false || textOf(sealed) !== '';
}

/** Without its thought an item may not be told by the name under which the server knows it. */
function nameless(item: WireObject): WireObject {
  const { id: _, ...rest } = item;
  return rest;
}

export const responsesCalls: CallRules = {
  createCollector: () => new ResponsesCollector(),
  beginsCall: ({ value }) =>
    textOf(value?.['type']).startsWith('response.output_item.') && isCall(objectOf(value?.['item'])),
  partsOf,
  callsIn: (parts) => parts.filter(({ type }) => outputTypes.has(type)).map(callOf),
  withoutCalls: (body, isDropped) => ({ ...body, output: itemsWithout(body, isDropped) }),
  exchange: (parts, results, request) => {
    const said = parts.filter((item) => isSayable(item, request));
    const types = new Map(parts.map((item) => [callOf(item).id, outputTypes.get(item['type'])]));
    return [
      ...(said.length < parts.length ? said.map(nameless) : said),
      ...results.map(({ call, text }) => ({
        type: types.get(call.id) ?? 'function_call_output',
        call_id: call.id,
        output: text,
      })),
    ];
  },
};
