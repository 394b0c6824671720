import { ContextError } from '@throughline/core';
import { fingerprintEntry, fingerprintRange, givenMessage, writeJson } from '@throughline/core/internal';
import { readRecording } from '@throughline/importers';
import { CommandFailure } from '../outcome/failure.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { stateFileEnding } from '../reading/state-file.ts';
import { writeFiles } from './write-output.ts';
import { once, writeView } from './write-view.ts';
import type { Checkpoint, Entry } from '@throughline/core';
import type { RenderedMessage } from '@throughline/core/types';
import type { SessionHistory } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { OutputFacts } from './compaction.ts';
import type { OutputRecord, StateFile } from '../reading/state-file.ts';
import type { RecordedSession, WrittenRecording } from '@throughline/importers';
import type { ShownView } from './weigh-view.ts';
import type { WriteRequest } from './write-view.ts';

/** What `--out` names standard output by. */
export const standardOutput = '-';

interface SaveRequest extends WriteRequest {
  readonly path: string;
  readonly force: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Writes to standard output. */
  readonly out: (text: string) => void;
}

/** A view to write down, with what is remembered beside it. */
interface Saved {
  readonly shown: ShownView;
  readonly checkpoints: readonly Checkpoint[];
}

/**
 * Writes the transcript of a view, and beside it the state to go on from. Both or nothing; on standard output the
 * transcript alone, since nothing stands beside that.
 */
export async function saveCompaction(
  opened: OpenedSession,
  history: SessionHistory,
  saved: Saved,
  request: SaveRequest,
): Promise<OutputFacts> {
  const { path, force, nowMs, out } = request;
  const { messages } = saved.shown.rendered;
  const written = await writeView(opened, history, messages, request);
  const { format, losses, text } = written;
  const session = await readBack(written, path);
  if (path === standardOutput) {
    out(text);
    return { file: path, format, stateFile: null, losses };
  }
  const isConverted = !isAlike(session, format, history);
  const output = {
    ...outputRecord(session, isConverted ? undefined : messages, format),
    ...(written.keys ? { keys: written.keys } : {}),
  };
  const file: StateFile = {
    ...stateOf(history, saved, { nowMs, isConverted }),
    output,
    archived: archivedOf(history, isConverted ? new Set() : heldIn(output, messages)),
  };
  const stateFile = path + stateFileEnding;
  await writeFiles(
    [
      { path: stateFile, text: `${writeJson(file)}\n` },
      { path, text },
    ],
    force,
  );
  return { file: path, format, stateFile, losses };
}

/** Writes only the state, over the file that it came from: what the next compaction of the history goes on from. */
export async function saveState(
  { source }: SessionHistory,
  { shown, checkpoints }: Saved,
  nowMs: number,
): Promise<OutputFacts | null> {
  if (!source) return null;
  const { path, file } = source;
  const next: StateFile = {
    ...file,
    writtenAt: new Date(nowMs).toISOString(),
    state: shown.state,
    checkpoints,
  };
  await writeFiles([{ path, text: `${writeJson(next)}\n` }], true);
  return { file: null, format: file.source.format, stateFile: path, losses: [] };
}

/** Read back before anybody relies on it: what a tool cannot load must not be written. */
async function readBack({ text, format }: WrittenRecording, path: string): Promise<RecordedSession> {
  try {
    const { sessions } = await readRecording(once(text), { name: path, format });
    if (sessions[0]) return sessions[0];
    throw unreadable(path, 'there is no session in it');
  } catch (error) {
    if (!ContextError.is(error, 'unreadable-file')) throw error;
    throw unreadable(path, error.details.reason);
  }
}

function unreadable(path: string, reason: string): CommandFailure {
  return new CommandFailure(
    'invalid-result',
    `${path} was not written: it would not read back (${reason}).`,
    {
      exitCode: exitCode.fault,
    },
  );
}

/** Whether the written messages are those of the history, in its own format and with the same in front of them. */
function isAlike({ system }: RecordedSession, format: string, { origin }: SessionHistory): boolean {
  return format === origin.format && system === origin.system;
}

interface StateRequest {
  readonly nowMs: number;
  readonly isConverted: boolean;
}

function stateOf(
  { transcript, origin: { system, ...source } }: SessionHistory,
  { shown, checkpoints }: Saved,
  { nowMs, isConverted }: StateRequest,
): Omit<StateFile, 'output' | 'archived'> {
  const { entries } = transcript.conversation;
  return {
    kind: 'throughline-state',
    version: 2,
    writtenAt: new Date(nowMs).toISOString(),
    source: { ...source, ...(isConverted && system !== undefined ? { system } : {}) },
    history: { messages: entries.length, fingerprint: fingerprintRange(entries) },
    state: shown.state,
    checkpoints,
  };
}

/** What the written transcript holds, as it reads back, and where it was not converted which message each one is. */
function outputRecord(
  { codec, messages }: RecordedSession,
  rendered: readonly RenderedMessage<unknown>[] | undefined,
  format: string,
): OutputRecord {
  const entries = messages.map((message, ordinal) => codec.decode(message, ordinal));
  const left = Map.groupBy(rendered ?? [], ({ message }, index) =>
    fingerprintEntry(codec.decode(message, index)),
  );
  return {
    messages: entries.length,
    fingerprint: fingerprintRange(entries),
    ordinals: rendered ? entries.map((entry) => ordinalOf(entry, left)) : [],
    format,
    codec: codec.name,
  };
}

/** Messages keep their order, so of several equal ones the first that is left is meant. */
function ordinalOf(entry: Entry, left: ReadonlyMap<string, RenderedMessage<unknown>[]>): number | null {
  return left.get(fingerprintEntry(entry))?.shift()?.ordinal ?? null;
}

/** Messages of the history that the transcript holds word for word. */
function heldIn(
  { ordinals }: OutputRecord,
  rendered: readonly RenderedMessage<unknown>[],
): ReadonlySet<number> {
  const edited = new Set(
    rendered.flatMap(({ ordinal, isEdited }) => (isEdited && ordinal !== undefined ? [ordinal] : [])),
  );
  return new Set(ordinals.flatMap((ordinal) => (ordinal === null || edited.has(ordinal) ? [] : [ordinal])));
}

/** Also of a message that was mended: the transcript holds it as it is sent, and an undo gives it as it was read. */
function archivedOf({ transcript }: SessionHistory, held: ReadonlySet<number>): StateFile['archived'] {
  return [...transcript.conversation.entries]
    .filter((entry) => !held.has(entry.ordinal) || entry.mended !== undefined)
    .map((entry) => ({ ordinal: entry.ordinal, message: givenMessage(entry) }));
}
