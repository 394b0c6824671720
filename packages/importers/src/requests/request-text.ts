import { writeJson } from '@throughline/core/internal';
import { isObject, objectOf, textOf } from '../recording/json-value.ts';

/** What a request holds beside its messages, where the recording has it. */
interface Beside {
  readonly system?: string;
  readonly model?: string;
}

/** The text of a file that holds messages as a request. */
export type WriteRequestText = (messages: readonly unknown[], beside: Beside) => string;

/** A request of one JSON body, with the model before what the format makes of messages and system prompt. */
export function bodyWith(
  body: (messages: readonly unknown[], system: string | undefined) => object,
): WriteRequestText {
  return (messages, { system, model }) =>
    `${writeJson({ ...(model !== undefined && { model }), ...body(messages, system) }, '  ')}\n`;
}

/** The messages with the system prompt as the first of them. */
export function withSystem(messages: readonly unknown[], system: string | undefined): readonly unknown[] {
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages];
}

/** Anthropic takes the system prompt beside the messages. */
export function systemApart(messages: readonly unknown[], system: string | undefined): object {
  const isSystem = (message: unknown): boolean => isObject(message) && message['role'] === 'system';
  const leading = messages.findIndex((message) => !isSystem(message));
  const count = leading < 0 ? messages.length : leading;
  const texts = messages.slice(0, count).map((message) => textIn(objectOf(message)['content']));
  const all = [system, ...texts].filter((text) => text !== undefined && text !== '');
  const rest = messages.slice(count);
  return all.length === 0 ? { messages: rest } : { system: all.join('\n\n'), messages: rest };
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => textOf(objectOf(block)['text']) ?? []).join('\n\n');
}

/** Messages of our own sessions, one a line. */
export function sessionLines(messages: readonly unknown[], { system }: Beside): string {
  const first = system === undefined ? [] : [{ role: 'system', parts: [{ type: 'text', text: system }] }];
  const lines = [...first, ...messages].map((message, index) =>
    writeJson({ ...objectOf(message), id: `m${index}` }),
  );
  return lines.map((line) => `${line}\n`).join('');
}
