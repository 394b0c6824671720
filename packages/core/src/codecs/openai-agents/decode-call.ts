import { isObject } from '../../json/json.ts';
import type { CallInput, CallPart, Part, ResultPart } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';
import { readCallId, readText } from '../decode-parts.ts';

/** By item type: the tool's name where the item states none, and the fields that may hold the arguments. */
interface CallShape {
  readonly name?: string;
  readonly input: readonly string[];
}

const shapes: ReadonlyMap<string, CallShape> = new Map<string, CallShape>([
  ['function_call', { input: ['arguments'] }],
  ['shell_call', { name: 'shell', input: ['action'] }],
  ['apply_patch_call', { name: 'apply_patch', input: ['operation'] }],
  ['computer_call', { name: 'computer', input: ['action', 'actions'] }],
  ['tool_search_call', { name: 'tool_search', input: ['arguments'] }],
]);

/** An item that calls a tool of the client (or, with `execution: server`, of the provider). */
export function decodeCallItem(item: WireObject): readonly Part[] | undefined {
  const shape = shapes.get(readText(item['type']));
  const name = readText(item['name']) || shape?.name;
  if (!shape || name === undefined) return undefined;
  const field = shape.input.find((key) => item[key] !== undefined) ?? shape.input[0] ?? '';
  const call: CallPart = {
    type: 'call',
    at: [],
    callId: readCallId(item['callId'], item['call_id'], item['id'], name),
    name,
    input: readInput(item, field),
  };
  return [item['execution'] === 'server' ? { ...call, isProviderExecuted: true } : call];
}

/** A tool that the provider ran itself: one item is call and result at once. Most of it is in `providerData`. */
export function decodeHostedCall(item: WireObject): readonly Part[] | undefined {
  const { name, output: text } = item;
  if (typeof name !== 'string') return undefined;
  const shared = { at: [], callId: readCallId(item['id'], name), name, isProviderExecuted: true } as const;
  const { providerData } = item;
  const result: ResultPart = {
    type: 'result',
    ...shared,
    isError: item['status'] === 'failed',
    pieces:
      typeof text === 'string'
        ? [{ type: 'text', at: ['output'], text }]
        : isObject(providerData)
          ? [{ type: 'opaque', at: ['providerData'], value: providerData }]
          : [],
  };
  return [{ type: 'call', ...shared, input: readInput(item, 'arguments') }, result];
}

function readInput(item: WireObject, field: string): CallInput {
  const value = item[field];
  const isJsonText = field === 'arguments' && typeof value === 'string';
  return isJsonText ? { type: 'text', text: value, at: [field] } : { type: 'value', value, at: [field] };
}
