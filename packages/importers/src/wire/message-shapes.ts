import { isObject, textOf } from '../recording/json-value.ts';
import type { JsonObject } from '../recording/json-value.ts';

/** Names under which requests, logs and datasets keep a list of messages or items, the most telling first. */
const listNames = [
  'messages',
  'input',
  'items',
  'output',
  'traj',
  'history',
  'conversation',
  'conversations',
  'prompt',
];

/** Roles of messages as they are sent to a model. */
const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Item types of OpenAI Responses that have no role. */
export const itemTypes: ReadonlySet<unknown> = new Set([
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'item_reference',
  'compaction',
  'compaction_summary',
]);

/** Whether a value can be a message or an item of one of the wire formats. */
export function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (roles.has(value['role']))
    return 'content' in value || 'tool_calls' in value || 'function_call' in value || 'parts' in value;
  return itemTypes.has(value['type']) && !('payload' in value) && !('uuid' in value);
}

/** The name under which an object holds its list of messages. */
export function listNameIn(value: JsonObject): string | undefined {
  return listNames.find((name) => isMessageList(value[name]));
}

/** The `input` of a Responses request that is one text: it stands for one message of the user. */
export function textInput(value: JsonObject): string | undefined {
  const isRequest = textOf(value['model']) !== undefined || textOf(value['instructions']) !== undefined;
  return isRequest ? textOf(value['input']) : undefined;
}

/** Whether a value is a message or a request that holds some. */
export function holdsMessages(value: unknown): boolean {
  return isMessage(value) || (isObject(value) && listNameIn(value) !== undefined);
}

const sampleSize = 200;

/** A list of which at least the first 200 elements are messages, mostly: a few strange ones are read as they are. */
export function isMessageList(value: unknown): boolean {
  return Array.isArray(value) && isMostly(value.slice(0, sampleSize), isMessage);
}

/** Whether more than half of the elements are of a kind. */
export function isMostly<Element>(
  elements: readonly Element[],
  isOfKind: (element: Element) => boolean,
): boolean {
  return elements.filter(isOfKind).length * 2 > elements.length;
}
