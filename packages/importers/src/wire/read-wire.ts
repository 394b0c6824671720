import { requestFormats } from '../requests/request-formats.ts';
import type { Codec } from '@throughline/core';
import { isObject, listOf, objectOf, textOf } from '../recording/json-value.ts';
import { conversationsIn } from './conversations.ts';
import { isMessage } from './message-shapes.ts';
import { orderRequests } from './order-requests.ts';
import { foreignForm } from './wire-evidence.ts';
import type { FormatReading } from '../recording/format.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { Origin, RecordedDocument, RecordedSession, RecordingNote } from '../recording/recording.ts';
import type { Conversation } from './conversations.ts';
import type { OrderedRequest } from './order-requests.ts';
import type { TargetName } from '../recording/format-names.ts';

const maxArchived = 50;

/**
 * Reads requests, lists of messages and datasets in one of the five wire formats. Each conversation is active, except
 * in a log of requests: there the newest one is, and those that it continues are archived (at most 50, newest first).
 */
export function readWire(document: RecordedDocument, name: TargetName): FormatReading {
  const conversations = conversationsIn(document);
  const foreign = foreignForm(conversations);
  if (foreign !== undefined) return { sessions: [], notes: [{ note: foreign }] };
  const { codec } = requestFormats[name];
  const ordered = orderRequests(
    conversations.map(({ messages }) => messages),
    codec,
  );
  const listed = withoutOldest(ordered);
  const sessions = listed.flatMap(({ index, isReplaced }) => {
    const conversation = conversations[index];
    const kind = isReplaced ? 'archived' : 'active';
    return conversation === undefined ? [] : [sessionOf(conversation, { index, kind, codec })];
  });
  const left = ordered.length - listed.length;
  const older = left === 0 ? [] : [{ note: `${left} older requests are not listed` }];
  return {
    sessions,
    notes: [...strangeLines(document, conversations), ...oddMessages(document, sessions), ...older],
  };
}

/** At most so many replaced requests after each that is not. */
function withoutOldest(ordered: readonly OrderedRequest[]): OrderedRequest[] {
  let replaced = 0;
  return ordered.filter(({ isReplaced }) => {
    replaced = isReplaced ? replaced + 1 : 0;
    return replaced <= maxArchived;
  });
}

interface ReadSessionAs {
  readonly index: number;
  readonly kind: RecordedSession['kind'];
  readonly codec: Codec;
}

function sessionOf(
  { messages, origins, holder }: Conversation,
  { index, kind, codec }: ReadSessionAs,
): RecordedSession {
  const system = systemOf(holder['system'] ?? holder['instructions']);
  const tools = toolsOf(holder['tools']);
  const model = textOf(holder['model']);
  return {
    id: idOf(holder, index),
    kind,
    codec,
    messages,
    origins,
    usage: [],
    holdsWholePrompt: 'model' in holder,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
  };
}

function idOf(holder: WireObject, index: number): string {
  for (const name of ['id', 'task_id', 'instance_id', 'session_id', 'sessionId']) {
    const id = holder[name];
    if (typeof id === 'string' || typeof id === 'number') {
      const trial = holder['trial'];
      return typeof trial === 'number' ? `${id}/${trial}` : String(id);
    }
  }
  return `conversation-${index + 1}`;
}

/** A system prompt as a text, or as a list of text blocks. */
function systemOf(value: unknown): string | undefined {
  if (typeof value === 'string') return textOf(value);
  const texts = listOf(value).flatMap((block) => (isObject(block) ? (textOf(block['text']) ?? []) : []));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** A list of tools; the AI SDK names them in an object. */
function toolsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  return isObject(value)
    ? Object.entries(value).map(([name, tool]) => ({ name, ...(isObject(tool) ? tool : {}) }))
    : undefined;
}

function strangeLines(
  document: RecordedDocument,
  conversations: readonly Conversation[],
): FormatReading['notes'] {
  if (document.type === 'json') return [];
  const read = new Set(
    conversations.flatMap(({ origins }) => origins.map((one) => (one.type === 'line' ? one.line : -1))),
  );
  const strange = document.lines.filter((_, line) => !read.has(line));
  const [first] = strange;
  if (first === undefined) return [];
  return [
    {
      line: first.number,
      note: `${strange.length} lines hold no message and are not read; this is the first`,
    },
  ];
}

const maxNotes = 20;

/**
 * Notes on what stands among the messages of the active sessions and is none, or has no content that could be one.
 * It is kept in its place as it is; at most 20 are named.
 */
function oddMessages(document: RecordedDocument, sessions: readonly RecordedSession[]): RecordingNote[] {
  const odd = sessions
    .filter(({ kind }) => kind === 'active')
    .flatMap(({ messages, origins }) =>
      messages.flatMap((message, index) => (isOdd(message) ? [{ index, origin: origins[index] }] : [])),
    );
  const notes = odd.slice(0, maxNotes).map(({ index, origin }): RecordingNote => {
    const line = lineOf(document, origin);
    const note = `message ${index + 1} has no known form; it is kept as it is`;
    return line === undefined ? { note } : { line, note };
  });
  const more = odd.length - notes.length;
  if (more > 0) notes.push({ note: `${more} more messages have no known form; they are kept as they are` });
  return notes;
}

function isOdd(message: unknown): boolean {
  if (!isMessage(message)) return true;
  const { content, tool_calls: calls } = objectOf(message);
  return (typeof content !== 'string' && !isListOrNone(content)) || !isListOrNone(calls);
}

function isListOrNone(value: unknown): boolean {
  return value === undefined || value === null || Array.isArray(value);
}

function lineOf(document: RecordedDocument, origin: Origin | undefined): number | undefined {
  if (document.type !== 'lines' || origin?.type !== 'line') return undefined;
  return document.lines[origin.line]?.number;
}
