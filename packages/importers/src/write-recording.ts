import { applyRepair, ContextError, convertMessages, repair } from '@throughline/core';
import { logFormat } from './formats.ts';
import { formatLabels, targetNames } from './recording/format-names.ts';
import { requestFormats } from './requests/request-formats.ts';
import { writeWireLines } from './wire/write-wire-lines.ts';
import { hasArray, writeElements } from './write/write-elements.ts';
import type { Loss } from '@throughline/core/codec';
import type { FormatName, TargetName } from './recording/format-names.ts';
import type {
  JsonDocument,
  LinesDocument,
  RecordedSession,
  Recording,
  ViewMessage,
} from './recording/recording.ts';
import type { WriteLines } from './recording/format.ts';
import type { Codec } from '@throughline/core';

/** What a view is written as. */
export interface WriteRecordingOptions {
  /** Writes a request body of this format instead of a file like the one that was read. */
  readonly to?: TargetName;
}

/** The text of a file, and what could not be said in it. */
export interface WrittenRecording {
  readonly text: string;
  readonly format: FormatName;
  /** What the target format could not say. A file that is written like the one that was read loses nothing. */
  readonly losses: readonly Loss[];
}

/**
 * A file that holds a view of one session: in the format it was read from, loadable by the tool it came from, or as
 * the body of a request (`to`). Unchanged messages keep their exact text, of edited ones only the changed values
 * change, and a view in which nothing changed gives the very file. Depends on its arguments only.
 * @throws ContextError `invalid-option` for an event log without `to`, which has no messages to write back.
 */
export function writeRecording(
  recording: Recording,
  session: RecordedSession,
  view: readonly ViewMessage[],
  { to }: WriteRecordingOptions = {},
): WrittenRecording {
  const { format, document } = recording;
  if (to !== undefined && to !== format) return { ...convertRecording(session, view, to), format: to };
  if (to !== undefined && !isRequest(session, to))
    return {
      text: requestText(session, messagesOf(view), to),
      format: to,
      losses: toolLosses(session),
    };
  const isUnchanged = session === recording.sessions[0] && isWhole(session, view);
  const canWrite = document.type === 'lines' ? lineWriter(format) !== undefined : isWritable(session);
  if (!canWrite && to === undefined) throw notWritable(format);
  const text = isUnchanged ? textOf(document) : write(recording, session, view);
  if (text !== undefined) return { text, format, losses: [] };
  const target = targetNames.find((name) => name === format);
  if (target === undefined) throw notWritable(format);
  return { text: requestText(session, messagesOf(view), target), format, losses: [] };
}

function messagesOf(view: readonly ViewMessage[]): readonly unknown[] {
  return view.map(({ message }) => message);
}

/** Whether the file is a request already, and not a list, a log or a data set of messages. */
function isRequest(session: RecordedSession, format: TargetName): boolean {
  const { listName } = requestFormats[format];
  return listName === undefined || hasArray(session, [listName]);
}

function isWhole({ messages }: RecordedSession, view: readonly ViewMessage[]): boolean {
  if (view.length !== messages.length) return false;
  return view.every((item, index) => item.type === 'original' && item.index === index && !item.isEdited);
}

/** Messages that are elements of the file, or one single message of a wire format. */
function isWritable(session: RecordedSession): boolean {
  return (
    hasArray(session) ||
    targetNames.some((name) => name === session.codec.name && session.codec.name !== 'session')
  );
}

function write(
  recording: Recording,
  session: RecordedSession,
  view: readonly ViewMessage[],
): string | undefined {
  const { format, document } = recording;
  if (document.type === 'json') {
    const { relink, complete } = logFormat(format)?.json ?? {};
    return writeElements({ document, session, view: relink?.(view) ?? view }, complete);
  }
  const lines = lineWriter(format)?.({ document, session, view });
  return lines && lines.map((line) => line + document.lineEnd).join('');
}

function lineWriter(format: FormatName): WriteLines | undefined {
  return targetNames.some((name) => name === format) ? writeWireLines : logFormat(format)?.lines?.write;
}

function textOf(document: JsonDocument | LinesDocument): string {
  if (document.type === 'json') return document.text;
  return document.lines.map(({ text }) => text).join(document.lineEnd) + document.finalEnd;
}

function notWritable(format: FormatName): ContextError<'invalid-option'> {
  const expected = targetNames.join(', ');
  return new ContextError(
    'invalid-option',
    `${formatLabels[format]} cannot be written back: it logs events, not messages. Choose a format to write: ${expected}.`,
    { option: 'to', expected, received: undefined },
  );
}

interface Converted {
  readonly text: string;
  readonly losses: readonly Loss[];
}

/**
 * The view in another format: the body of a request as JSON, with the model and the system prompt where the recording
 * has them. Tool schemas stay behind, since each format writes them in its own way. The session format is JSONL.
 */
function convertRecording(session: RecordedSession, view: readonly ViewMessage[], to: TargetName): Converted {
  const entries = view.map(({ message }, ordinal) => session.codec.decode(message, ordinal));
  const { codec: target } = requestFormats[to];
  const { messages, losses } = convertMessages(entries, session.codec, target);
  const { messages: sound, repairs } = repaired(messages, target);
  return { text: requestText(session, sound, to), losses: [...losses, ...repairs, ...toolLosses(session)] };
}

function toolLosses({ tools }: RecordedSession): Loss[] {
  return tools && tools.length > 0 ? [{ path: 'tools', reason: 'tool schemas stay behind' }] : [];
}

/** What the target format refuses is mended by its own rules, and told: they differ from those of the source. */
function repaired(messages: readonly unknown[], target: Codec): { messages: unknown[]; repairs: Loss[] } {
  const decoded = messages.map((message, ordinal) => target.decode(message, ordinal));
  // The system prompt in front finds its own place in the body.
  const first = decoded.findIndex(({ role }) => role !== 'system');
  const count = first < 0 ? decoded.length : first;
  const entries = decoded.slice(count);
  const { items, repairs } = repair(entries, target, { ending: 'send' });
  return {
    messages: [
      ...messages.slice(0, count),
      ...applyRepair(entries, items, target).map(({ message }) => message),
    ],
    repairs: repairs.map((one) => ({
      path: 'entry' in one ? `messages[${one.entry + count}]` : 'messages',
      reason: one.type,
    })),
  };
}

/** Messages that are in the target format already, as the body of a request. */
function requestText(session: RecordedSession, messages: readonly unknown[], to: TargetName): string {
  return requestFormats[to].write(messages, session);
}
