import { isMessage } from './message-shapes.ts';
import { objectOf } from '../json-value.ts';
import type { Origin, RecordedSession, RecordingNote } from '../recording.ts';
import type { RecordedDocument } from '../source/document.ts';

const maxNotes = 20;

/**
 * Notes on what stands among the messages of the active sessions and is none, or has no content that could be one.
 * It is kept in its place as it is; at most 20 are named.
 */
export function oddMessages(
  document: RecordedDocument,
  sessions: readonly RecordedSession[],
): RecordingNote[] {
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
