import { isObject } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { Origin } from '../recording.ts';
import type { RecordedDocument } from '../source/document.ts';

/** Messages that follow each other somewhere in a file, and the object that holds their list. */
export interface Conversation {
  readonly messages: readonly unknown[];
  readonly origins: readonly Origin[];
  readonly holder: JsonObject;
}

type Place = readonly (string | number)[];

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
/** Names under which a log keeps a whole request. */
const requestNames = ['request', 'body', 'params', 'requestBody'];

/**
 * All conversations of a document: a list of messages, an object that holds one, a list of such objects, a single
 * message; in JSONL a message per line or one of these per line. Empty when there is nothing of the kind.
 */
export function conversationsIn(document: RecordedDocument): Conversation[] {
  if (document.type === 'json') return conversationsInValue(document.value, [], elementOrigin);
  const messageLines = [...document.lines.entries()].filter(([, { value }]) => isMessage(value));
  if (messageLines.length > 0) {
    return [
      {
        messages: messageLines.map(([, { value }]) => value),
        origins: messageLines.map(([line]) => ({ type: 'line', line, at: [] })),
        holder: {},
      },
    ];
  }
  return document.lines.flatMap(({ value }, line) =>
    conversationsInValue(value, [], (array, index) => ({ type: 'line', line, at: [...array, index] })),
  );
}

type MakeOrigin = (array: Place, index: number) => Origin;

const elementOrigin: MakeOrigin = (array, index) => ({ type: 'element', array, index });

function conversationsInValue(value: unknown, at: Place, origin: MakeOrigin): Conversation[] {
  if (Array.isArray(value)) {
    if (isMessageList(value)) return [conversation(value, at, {}, origin)];
    return at.length > 0 ? [] : value.flatMap((item, index) => conversationsInValue(item, [index], origin));
  }
  if (!isObject(value)) return [];
  const name = listNames.find((one) => isMessageList(value[one]));
  if (name !== undefined) return [conversation(value[name] as unknown[], [...at, name], value, origin)];
  if (isMessage(value)) return [{ messages: [value], origins: [{ type: 'composed' }], holder: value }];
  const request = requestNames.find((one) => isObject(value[one]) && at.length < 2);
  if (request !== undefined) return conversationsInValue(value[request], [...at, request], origin);
  return choicesOf(value);
}

function conversation(
  messages: readonly unknown[],
  array: Place,
  holder: JsonObject,
  origin: MakeOrigin,
): Conversation {
  return { messages, origins: messages.map((_, index) => origin(array, index)), holder };
}

/** The answer of a chat completion. */
function choicesOf(value: JsonObject): Conversation[] {
  const choices: unknown = value['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(first) ? first['message'] : undefined;
  return isMessage(message) ? [{ messages: [message], origins: [{ type: 'composed' }], holder: value }] : [];
}

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

/** Whether a value is a message or a request that holds some. */
export function holdsMessages(value: unknown): boolean {
  return isMessage(value) || (isObject(value) && listNames.some((name) => isMessageList(value[name])));
}

const sampleSize = 200;

/** A list of which at least the first 200 elements are messages, mostly: a few strange ones are read as they are. */
function isMessageList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  const sample = value.slice(0, sampleSize);
  return sample.filter(isMessage).length * 2 > sample.length;
}
