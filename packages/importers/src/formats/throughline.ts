import { sessionCodec } from '@throughline/core';
import { isObject, objectOf, textOf } from '../recording/json-value.ts';
import { unknownLinesNote } from '../source/unreadable.ts';
import type { FormatReading } from '../recording/format.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { LinesDocument, RecordedUsage, RecordingNote, SourceLine } from '../recording/recording.ts';

/** What may begin a line of an export of the runtime's store, beside the messages. */
const lineTypes: ReadonlySet<unknown> = new Set(
  'session message change checkpoint inbox run event approval grant value output blob'.split(' '),
);

export function ownsThroughlineLine(value: unknown): boolean {
  return isObject(value) && lineTypes.has(value['line']);
}

/**
 * Reads what `sessions.export` of a store, or `/export` of the chat, has written: the whole history as it was said,
 * whatever was compacted or pruned in it. Media that the file holds stand in their messages.
 */
export function readThroughline({ lines }: LinesDocument): FormatReading {
  const head = objectOf(lines.find(({ value }) => objectOf(value)['line'] === 'session')?.value);
  const said = lines.filter(({ value }) => objectOf(value)['line'] === 'message');
  const blobs = blobsIn(lines);
  const messages = said.map(({ value }) => withMedia(objectOf(objectOf(value)['message']), blobs));
  const title = textOf(head['title']);
  const model = textOf(head['model']);
  const windowTokens = windowIn(lines);
  const session = {
    id: textOf(head['id']) ?? 'session',
    kind: 'active' as const,
    codec: sessionCodec,
    messages,
    origins: messages.map(() => ({ type: 'composed' }) as const),
    usage: messages.flatMap(usageOf),
    holdsWholePrompt: false,
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(windowTokens === undefined ? {} : { windowTokens }),
  };
  return { sessions: messages.length === 0 ? [] : [session], notes: notesOn(lines) };
}

/** That of the newest request. */
function windowIn(lines: readonly SourceLine[]): number | undefined {
  const told = lines.findLast(({ value }) => objectOf(value)['type'] === 'context:usage');
  const windowTokens = objectOf(objectOf(told?.value)['data'])['windowTokens'];
  return typeof windowTokens === 'number' && windowTokens > 0 ? windowTokens : undefined;
}

function notesOn(lines: readonly SourceLine[]): RecordingNote[] {
  const unknown = lines.filter(({ value }) => !lineTypes.has(objectOf(value)['line']));
  const [first] = unknown;
  return first ? [{ line: first.number, note: unknownLinesNote(unknown.length) }] : [];
}

function blobsIn(lines: readonly SourceLine[]): ReadonlyMap<string, string> {
  const blobs = new Map<string, string>();
  for (const { value } of lines) {
    const { line, hash, base64 } = objectOf(value);
    if (line === 'blob' && typeof hash === 'string' && typeof base64 === 'string') {
      blobs.set(`@blob:${hash}`, base64);
    }
  }
  return blobs;
}

function withMedia(message: WireObject, blobs: ReadonlyMap<string, string>): WireObject {
  const { parts } = message;
  if (!Array.isArray(parts) || blobs.size === 0) return message;
  return { ...message, parts: parts.map((part: unknown) => shown(part, blobs)) };
}

/** Media, or a result with media in it. */
function shown(part: unknown, blobs: ReadonlyMap<string, string>): unknown {
  if (!isObject(part)) return part;
  const { content, source } = part;
  if (Array.isArray(content))
    return { ...part, content: content.map((piece: unknown) => shown(piece, blobs)) };
  const data = blobs.get(textOf(objectOf(source)['url']) ?? '');
  return data === undefined ? part : { ...part, source: { type: 'base64', data } };
}

function usageOf(message: WireObject, messageIndex: number): RecordedUsage[] {
  const usage = objectOf(message['usage']);
  const count = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0);
  if (count('inputTokens') <= 0) return [];
  return [
    {
      messageIndex,
      inputTokens: count('inputTokens'),
      cacheReadTokens: count('cacheReadTokens'),
      cacheWriteTokens: count('cacheWriteTokens'),
      outputTokens: count('outputTokens'),
    },
  ];
}
