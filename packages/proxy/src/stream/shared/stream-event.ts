import { isObject } from '@throughline/core/codec';
import { parseJson } from '@throughline/core/internal';
import type { SseEvent } from './sse-splitter.ts';
import type { WireObject } from '@throughline/core/internal';

/** An event of a model's stream: its bytes, and what they say. */
export interface StreamEvent extends SseEvent {
  /** `data`, where it is a JSON object. */
  readonly value?: WireObject;
}

/** Whether a field says something: servers write `null` for what is not there. */
export function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The event with what its data says. */
export function readEvent(event: SseEvent): StreamEvent {
  if (!event.data.startsWith('{') && !event.data.trimStart().startsWith('{')) return event;
  const value = parseJson(event.data);
  return isObject(value) ? { ...event, value } : event;
}

const encoder = new TextEncoder();

/** An event of our own, or one that we have changed. */
export function writeEvent(value: WireObject, name?: string): StreamEvent {
  return writeText(JSON.stringify(value), value, name);
}

/** An event of data that is written already. */
export function writeText(data: string, value: WireObject, name?: string): StreamEvent {
  const head = name === undefined ? '' : `event: ${name}\n`;
  return {
    bytes: encoder.encode(`${head}data: ${data}\n\n`),
    ...(name !== undefined && { name }),
    data,
    isComment: false,
    value,
  };
}

/** The event with another value. */
export function rewritten(event: StreamEvent, value: WireObject): StreamEvent {
  return value === event.value ? event : writeEvent(value, event.name);
}

/** An event whose name stands in its value, too, as all of two dialects do. */
export function typedEvent(value: WireObject & { readonly type: string }): StreamEvent {
  return writeEvent(value, value.type);
}

/** A line that keeps a connection open, or tells people who look at the bytes something. No client hands it on. */
export function comment(text: string): StreamEvent {
  const lines = text.split(/[\r\n]+/).map((line) => `: ${line}\n`);
  return { bytes: encoder.encode(`${lines.join('')}\n`), data: '', isComment: true };
}

/** The last line of a chat stream. */
export const doneEvent: StreamEvent = {
  bytes: encoder.encode('data: [DONE]\n\n'),
  data: '[DONE]',
  isComment: false,
};
