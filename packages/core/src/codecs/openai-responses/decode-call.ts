import type { CallInput, Part } from '../../transcript/entry.ts';
import type { WireObject } from '../decode-parts.ts';
import { readCallId, readText } from '../decode-parts.ts';

/** By item type: the tool's name where the item states none, and the field that holds the arguments. */
interface CallShape {
  readonly name?: string;
  readonly input: readonly string[];
}

const shapes: ReadonlyMap<string, CallShape> = new Map<string, CallShape>([
  ['function_call', { input: ['arguments'] }],
  ['custom_tool_call', { input: ['input'] }],
  ['local_shell_call', { name: 'local_shell', input: ['action'] }],
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
  const callId = readCallId(item['call_id'], item['id']);
  return [
    {
      type: 'call',
      at: [],
      callId,
      name,
      input: readInput(item, field),
      ...(item['execution'] === 'server' && { isProviderExecuted: true }),
    },
  ];
}

/** Function arguments are JSON text; the input of a custom tool is any text and therefore a value. */
function readInput(item: WireObject, field: string): CallInput {
  const value = item[field];
  const isJsonText = field === 'arguments' && typeof value === 'string';
  return isJsonText ? { type: 'text', text: value, at: [field] } : { type: 'value', value, at: [field] };
}
