import { isObject } from '../json/json.ts';

type Message = Record<string, unknown>;

/**
 * One message with the content of all in order and the other fields of `base`. For formats whose messages are objects
 * with `content`: a text, or a list of blocks. Messages of any other shape come back as they are.
 */
export function joinMessages(messages: readonly unknown[], base: unknown): readonly unknown[] {
  if (messages.length < 2 || !messages.every(isMessage) || !isMessage(base)) return messages;
  return [{ ...base, content: messages.flatMap(({ content }) => blocksOf(content)) }];
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && (typeof value['content'] === 'string' || Array.isArray(value['content']));
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return content === '' ? [] : [{ type: 'text', text: content }];
}
