import { requestFormats } from '../requests/request-formats.ts';
import { isObject } from '../recording/json-value.ts';
import type { WireObject } from '../recording/json-value.ts';

const formats = Object.values(requestFormats);

/** Names under which requests, logs and datasets keep a list of messages or items, the most telling first. */
const listNames = [
  ...new Set([
    'messages',
    ...formats.flatMap(({ listName }) => listName ?? []),
    'items',
    'output',
    'traj',
    'history',
    'conversation',
    'conversations',
    'prompt',
  ]),
];

/** Roles of messages as they are sent to a model. */
const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Whether a value can be a message or an item of one of the wire formats. */
export function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (roles.has(value['role']))
    return 'content' in value || 'tool_calls' in value || 'function_call' in value || 'parts' in value;
  return formats.some(({ isMessage: isOwn }) => isOwn?.(value) === true);
}

/** The name under which an object holds its list of messages. */
export function listNameIn(value: WireObject): string | undefined {
  return listNames.find((name) => isMessageList(value[name]));
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
