import { ContextError } from '@throughline/core';
import { writeClaudeCode } from './formats/claude-code/write-claude-code.ts';
import { completeClineMessage } from './formats/cline.ts';
import { writeCodexRollout } from './formats/codex/write-codex-rollout.ts';
import { formatLabels } from './formats.ts';
import { completeOpencodeMessage, relinkAnswers } from './formats/opencode/write-opencode.ts';
import { writePi } from './formats/pi/write-pi.ts';
import { completeSweAgentMessage } from './formats/swe-agent.ts';
import { writeWireLines } from './wire/write-wire-lines.ts';
import { convertRecording, requestText, targetNames, toolLosses } from './write/convert-recording.ts';
import { hasArray, writeElements } from './write/write-elements.ts';
import type { Loss } from '@throughline/core';
import type {
  FormatName,
  JsonDocument,
  LinesDocument,
  RecordedSession,
  Recording,
  ViewMessage,
} from './recording/recording.ts';
import type { TargetName } from './write/convert-recording.ts';
import type { CompleteMessage, WriteRequest } from './recording/format.ts';

export interface WriteRecordingOptions {
  /** Writes a request body of this format instead of a file like the one that was read. */
  readonly to?: TargetName;
}

export interface WrittenRecording {
  readonly text: string;
  readonly format: FormatName;
  /** What the target format could not say; empty when the format stays the same. */
  readonly losses: readonly Loss[];
}

type WriteLines = (request: WriteRequest<LinesDocument>) => string[];

const lineWriters: Readonly<Partial<Record<FormatName, WriteLines>>> = {
  'claude-code': writeClaudeCode,
  'codex-rollout': writeCodexRollout,
  pi: writePi,
  'openai-chat': writeWireLines,
  'openai-responses': writeWireLines,
  anthropic: writeWireLines,
  'ai-sdk': writeWireLines,
  session: writeWireLines,
};

const completions: Readonly<Partial<Record<FormatName, CompleteMessage>>> = {
  opencode: completeOpencodeMessage,
  'swe-agent': completeSweAgentMessage,
  cline: completeClineMessage,
};

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
  const canWrite = document.type === 'lines' ? lineWriters[format] !== undefined : isWritable(session);
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
  return format === 'session' || hasArray(session, [format === 'openai-responses' ? 'input' : 'messages']);
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
    const linked = format === 'opencode' ? relinkAnswers(view) : view;
    return writeElements({ document, session, view: linked }, completions[format]);
  }
  const lines = lineWriters[format]?.({ document, session, view });
  return lines && lines.map((line) => line + document.lineEnd).join('');
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
