import { jsonText } from '@throughline/core/codec';
import { newEvent } from '../events/new-event.ts';
import { fieldsOf, isList } from '../json/json-value.ts';
import type { Json, SessionMessage } from '@throughline/core/codec';
import type { NewEvent, NewMessage, WaitingItem } from '@throughline/ports';
import type { SessionMedia } from '../media/session-media.ts';
import type { ResultContent } from '../tools/tool.ts';

interface ComposeOptions {
  readonly nowMs: number;
  /** The run that takes the messages. */
  readonly runId: string;
}

/**
 * All that waits as one message of the history, and the event that tells of it. One is taken as it is; of several each
 * is labelled, in their order, images and files in their places. The message has the id of the first: whoever sent
 * that finds it under this id, the others by `meta.originalMessages`, the event, or their inbox item.
 */
export function composeWaiting(
  waiting: readonly WaitingItem[],
  { nowMs, runId }: ComposeOptions,
): { readonly message: NewMessage; readonly events: readonly NewEvent[] } {
  const ids = waiting.map(({ id }) => id);
  const messageId = ids[0] ?? '';
  const coalesced = waiting.length > 1;
  const message: SessionMessage = {
    id: messageId,
    role: 'user',
    parts: joinMessages(waiting.map(({ content }) => readStored(content))),
    createdAtMs: nowMs,
    meta: {
      coalesced,
      messageCount: waiting.length,
      originalMessages: waiting.map((item) => originalOf(item, coalesced)),
      firstQueuedAt: waiting[0]?.acceptedAtMs ?? nowMs,
      lastQueuedAt: waiting.at(-1)?.acceptedAtMs ?? nowMs,
    },
  };
  const taken = { count: ids.length, ids, coalesced, messageId };
  return { message: { message }, events: [newEvent('message:dequeued', taken, { runId })] };
}

/** The content of a single message is that of the message itself. */
function originalOf({ id, content, acceptedAtMs, updatedAtMs }: WaitingItem, isWhole: boolean): Json {
  return {
    id,
    queuedAt: acceptedAtMs,
    ...(updatedAtMs > acceptedAtMs && { editedAt: updatedAtMs }),
    ...(isWhole && { content }),
  };
}

function joinMessages(messages: readonly (readonly ResultContent[])[]): readonly ResultContent[] {
  const [only] = messages;
  if (messages.length === 1 && only) return only;
  const joined: ResultContent[] = [];
  for (const [index, parts] of messages.entries())
    appendLabelled(joined, labelOf(index, messages.length), parts);
  return joined;
}

/** The label goes in front of the first text, or alone where media come first. Texts that meet are one text. */
function appendLabelled(joined: ResultContent[], label: string, parts: readonly ResultContent[]): void {
  const [first] = parts;
  const hasText = first?.type === 'text';
  const text = hasText ? `${label} ${first.text}` : label;
  const last = joined.at(-1);
  if (last?.type === 'text') joined[joined.length - 1] = { type: 'text', text: `${last.text}\n\n${text}` };
  else joined.push({ type: 'text', text });
  for (const part of hasText ? parts.slice(1) : parts) joined.push(part);
}

function labelOf(index: number, count: number): string {
  if (count > 2) return `[${index + 1}]:`;
  return index === 0 ? 'First:' : 'Also:';
}

/**
 * The parts of a stored content, whatever JSON it is: what is no part of ours is shown as the text it is, so that
 * nothing is lost. At least one part.
 */
function readStored(content: Json): readonly ResultContent[] {
  if (typeof content === 'string') return [textPart(content)];
  const { parts } = fieldsOf(content);
  if (!isList(parts) || parts.length === 0) return [textPart(jsonText(content))];
  return parts.map((part) => readPart(part) ?? textPart(jsonText(part)));
}

function readPart(part: Json): ResultContent | undefined {
  const { type, text, mediaType, source, filename } = fieldsOf(part);
  if (type === 'text') return typeof text === 'string' ? textPart(text) : undefined;
  const from = readSource(source ?? null);
  if (type !== 'media' || typeof mediaType !== 'string' || !from) return undefined;
  return { type, mediaType, source: from, ...(typeof filename === 'string' && { filename }) };
}

function readSource(source: Json): SessionMedia['source'] | undefined {
  const { url, data } = fieldsOf(source);
  if (typeof url === 'string') return { type: 'url', url };
  return typeof data === 'string' ? { type: 'base64', data } : undefined;
}

function textPart(text: string): ResultContent {
  return { type: 'text', text };
}
