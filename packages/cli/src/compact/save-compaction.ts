import { basename } from 'node:path';
import { fingerprintEntry, fingerprintRange, writeJson } from '@throughline/core';
import { readRecording, writeRecording } from '@throughline/importers';
import { stateFileEnding } from './state-file.ts';
import { toViewMessages } from './history.ts';
import { writeFiles } from './write-output.ts';
import type { Checkpoint, Codec, Entry, RenderedMessage } from '@throughline/core';
import type { History } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { OutputFacts } from './compaction.ts';
import type { OutputRecord, StateFile } from './state-file.ts';
import type { ShownView } from './assess.ts';
import type { TargetName } from '@throughline/importers';

export interface SaveWishes {
  readonly path: string;
  /** A format for a request; by default that of the file. */
  readonly to: TargetName | undefined;
  readonly force: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** A view to write down, with what is remembered beside it. */
export interface Saved {
  readonly shown: ShownView;
  readonly checkpoints: readonly Checkpoint[];
}

/** Writes the transcript of a view, and beside it the state to go on from. Both or nothing. */
export async function saveCompaction(
  opened: OpenedSession,
  history: History,
  { shown, checkpoints }: Saved,
  { path, to, force, nowMs }: SaveWishes,
): Promise<OutputFacts> {
  const { recording, session } = opened;
  const { messages } = shown.rendered;
  const view = toViewMessages(messages, history, session.messages);
  const written = writeRecording(recording, session, view, to === undefined ? {} : { to });
  const isSameFormat = written.format === recording.format;
  // Read back before anybody relies on it: what a tool cannot load must not be written.
  const readBack = await readRecording(once(written.text), { name: path, format: written.format });
  const output = isSameFormat
    ? outputRecord(readBack.sessions[0]?.messages ?? [], session.codec, messages)
    : null;
  const file: StateFile = {
    ...stateOf(opened, history, { shown, checkpoints }, nowMs),
    output,
    archived: output ? archivedOf(history, messages, output) : [],
  };
  const stateFile = path + stateFileEnding;
  const files = [
    { path: stateFile, text: `${writeJson(file)}\n` },
    { path, text: written.text },
  ];
  await writeFiles(files, force);
  return { file: path, format: written.format, stateFile, losses: written.losses };
}

/** Writes only the state, over the file that it came from: what the next compaction of the history goes on from. */
export async function saveState(
  { source }: History,
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

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

type StateParts = Omit<StateFile, 'output' | 'archived'>;

function stateOf(
  { file, recording, session }: OpenedSession,
  { transcript }: History,
  { shown, checkpoints }: Saved,
  nowMs: number,
): StateParts {
  const { entries } = transcript.conversation;
  return {
    kind: 'throughline-state',
    version: 1,
    writtenAt: new Date(nowMs).toISOString(),
    source: {
      file: basename(file),
      format: recording.format,
      codec: session.codec.name,
      session: session.id,
    },
    history: { messages: entries.length, fingerprint: fingerprintRange(entries) },
    state: shown.state,
    checkpoints,
  };
}

/** Which message of the history each message of the written transcript is, as it reads back. */
function outputRecord(
  readBack: readonly unknown[],
  codec: Codec,
  rendered: readonly RenderedMessage<unknown>[],
): OutputRecord {
  const entries = readBack.map((message, ordinal) => codec.decode(message, ordinal));
  const places = new Map<string, number[]>();
  for (const [index, { message }] of rendered.entries()) {
    const key = fingerprintEntry(codec.decode(message, index));
    const known = places.get(key);
    if (known) known.push(index);
    else places.set(key, [index]);
  }
  return {
    messages: entries.length,
    fingerprint: fingerprintRange(entries),
    ordinals: entries.map((entry) => ordinalOf(entry, places, rendered)),
  };
}

/** Messages keep their order, so of several equal ones the first that is left is meant. */
function ordinalOf(
  entry: Entry,
  places: ReadonlyMap<string, number[]>,
  rendered: readonly RenderedMessage<unknown>[],
): number | null {
  const index = places.get(fingerprintEntry(entry))?.shift();
  return index === undefined ? null : (rendered[index]?.ordinal ?? null);
}

/** What the transcript does not hold word for word. */
function archivedOf(
  { transcript }: History,
  rendered: readonly RenderedMessage<unknown>[],
  { ordinals }: OutputRecord,
): StateFile['archived'] {
  const edited = new Set(
    rendered.flatMap(({ ordinal, isEdited }) => (isEdited && ordinal !== undefined ? [ordinal] : [])),
  );
  const held = new Set(ordinals.filter((ordinal) => ordinal !== null && !edited.has(ordinal)));
  return [...transcript.conversation.entries]
    .filter(({ ordinal }) => !held.has(ordinal))
    .map(({ ordinal, wire }) => ({ ordinal, message: wire }));
}
