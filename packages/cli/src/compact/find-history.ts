import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openMessages } from '../reading/open-session.ts';
import { originOf, weighState } from './history.ts';
import { parseStateFile, stateFileEnding } from '../reading/state-file.ts';
import { codecNamed, formatNames, targetNames } from '@throughline/importers';
import { convertMessages } from '@throughline/core';
import { errorMessage } from '@throughline/core/settings';
import { fingerprintRange } from '@throughline/core/internal';
import type { FormatName, RecordedSession } from '@throughline/importers';
import type { SessionHistory } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { OutputRecord, StateFile } from '../reading/state-file.ts';
import type { Codec, Entry } from '@throughline/core';

interface FoundHistory {
  /** `undefined` when no state file belongs to the session. */
  readonly found: OpenedHistory | undefined;
  /** Sentences on state files that could not be read. */
  readonly notes: readonly string[];
}

/** A history, with the session that it belongs to as the state file says that it is to be read. */
export interface OpenedHistory {
  readonly opened: OpenedSession;
  readonly history: SessionHistory;
}

/** The same session read as another format; `undefined` where it is not of that format. */
type Reopen = (format: FormatName) => Promise<OpenedSession | undefined>;

/** More state files than this in one folder are not looked into. */
const mostFiles = 500;

/**
 * Finds what was remembered of a session: a state file in the folder of its file whose history the session begins
 * with, or whose compacted transcript it begins with. By content, whatever the files are called; of several, the one
 * named after the file, then the newest. What was appended since is taken as new.
 */
export async function findHistory(
  opened: OpenedSession,
  path: string | undefined,
  reopen: Reopen,
): Promise<FoundHistory> {
  if (path === undefined) return { found: undefined, notes: [] };
  const folder = dirname(await realpath(path).catch(() => path));
  const own = basename(path) + stateFileEnding;
  const readings = createReadings(opened, reopen);
  const notes: string[] = [];
  const found: (OpenedHistory & { readonly name: string; readonly file: StateFile })[] = [];
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(stateFileEnding)).slice(0, mostFiles)) {
    try {
      const file = parseStateFile(await readFile(join(folder, name), 'utf8'));
      for (const reading of await readings(file)) {
        const history = matchHistory(reading, { path: join(folder, name), file });
        if (!history) continue;
        found.push({ name, file, opened: reading, history });
        break;
      }
    } catch (error) {
      notes.push(`The state file ${name} was left aside: ${errorMessage(error)}`);
    }
  }
  const rank = (name: string): number => (name === own ? 1 : 0);
  found.sort((a, b) => rank(b.name) - rank(a.name) || (a.file.writtenAt < b.file.writtenAt ? 1 : -1));
  return { found: found[0], notes };
}

/**
 * How a session may be read: as it was, and as what a state file says that its transcript is. A compacted session may
 * hold nothing but text, and then its content does not tell one format from the other.
 */
function createReadings(
  opened: OpenedSession,
  reopen: Reopen,
): (file: StateFile) => Promise<OpenedSession[]> {
  const others = new Map<FormatName, Promise<OpenedSession | undefined>>();
  return async ({ output }) => {
    const format = targetNames.find((name) => name === output?.format);
    if (format === undefined || format === opened.recording.format) return [opened];
    const other = others.get(format) ?? reopen(format);
    others.set(format, other);
    const reopened = await other;
    return reopened ? [opened, reopened] : [opened];
  };
}

type Source = NonNullable<SessionHistory['source']>;

function remembered(source: Source): Pick<SessionHistory, 'state' | 'checkpoints' | 'source'> {
  const { state, checkpoints } = source.file;
  return { state, checkpoints, source };
}

function matchHistory(opened: OpenedSession, source: Source): SessionHistory | undefined {
  const { session, transcript } = opened;
  const { file } = source;
  const { output } = file;
  const codec = session.codec.name;
  const entries = [...transcript.conversation.entries];
  if (output && (output.codec ?? file.source.codec) === codec && startsWith(entries, output)) {
    return output.ordinals.length === 0
      ? convertedHistory(opened, source, output)
      : historyBehind(opened, source, output);
  }
  if (codec !== file.source.codec || !startsWith(entries, file.history)) return undefined;
  return {
    ...remembered(source),
    transcript,
    origin: originOf(opened),
    indexOf: (ordinal) => ordinal,
    inForce: weighState(transcript, file.state),
  };
}

/** The full history behind a compacted transcript: archived messages, the ones it still holds, and what came since. */
function historyBehind(
  opened: OpenedSession,
  source: Source,
  { ordinals }: OutputRecord,
): SessionHistory | undefined {
  const { file } = source;
  const { session, estimator, model } = opened;
  const indexes = new Map<number, number>();
  for (const [index, ordinal] of ordinals.entries()) if (ordinal !== null) indexes.set(ordinal, index);
  const archived = new Map(file.archived.map(({ ordinal, message }) => [ordinal, message]));
  const messages: unknown[] = [];
  for (let ordinal = 0; ordinal < file.history.messages; ordinal += 1) {
    const index = indexes.get(ordinal);
    if (!archived.has(ordinal) && index === undefined) return undefined;
    messages.push(archived.has(ordinal) ? archived.get(ordinal) : session.messages[index ?? 0]);
  }
  const known = messages.length;
  messages.push(...session.messages.slice(ordinals.length));
  const transcript = openMessages(session, messages, { estimator, model });
  if (!startsWith([...transcript.conversation.entries], file.history)) return undefined;
  const written = ordinals.flatMap((ordinal, index) => (ordinal === null ? [index] : []));
  return {
    ...remembered(source),
    transcript,
    origin: originOf(opened),
    indexOf: (ordinal) => (ordinal < known ? indexes.get(ordinal) : ordinal - known + ordinals.length),
    inForce: { transcript: opened.transcript, written: new Set(written) },
  };
}

/**
 * The full history behind a transcript that was written in another format: the archived messages as they were, and
 * what came since, converted to their format.
 */
function convertedHistory(
  opened: OpenedSession,
  source: Source,
  output: OutputRecord,
): SessionHistory | undefined {
  const { file } = source;
  const { session, estimator, model } = opened;
  const codec = codecNamed(file.source.codec);
  const format = formatNames.find((name) => name === file.source.format);
  const known = file.archived.map(({ message }) => message);
  const isWhole = file.archived.every(({ ordinal }, index) => ordinal === index);
  if (!codec || format === undefined || !isWhole || known.length !== file.history.messages) return undefined;
  const since = messagesIn(codec, session, output.messages);
  const own = sessionIn(session, { codec, system: file.source.system });
  const transcript = openMessages(own, [...known, ...since], { estimator, model });
  if (!startsWith([...transcript.conversation.entries], file.history)) return undefined;
  return {
    ...remembered(source),
    transcript,
    origin: { ...file.source, format },
    converted: { known: known.length, written: output.messages },
    indexOf: () => undefined,
    inForce: weighState(transcript, file.state),
  };
}

/** The messages of a session from one on, in another codec. */
function messagesIn(codec: Codec, session: RecordedSession, from: number): readonly unknown[] {
  const since = session.messages.slice(from);
  if (codec === session.codec) return since;
  const entries = since.map((message, ordinal) => session.codec.decode(message, ordinal));
  return convertMessages(entries, session.codec, codec).messages;
}

/** A session as it would be in another codec, without its messages. */
export function sessionIn(
  { id, kind, model, tools, holdsWholePrompt }: RecordedSession,
  { codec, system }: { readonly codec: Codec; readonly system: string | undefined },
): RecordedSession {
  return {
    id,
    kind,
    codec,
    messages: [],
    origins: [],
    usage: [],
    holdsWholePrompt,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
  };
}

/** Whether messages begin with those that were fingerprinted. */
function startsWith(
  entries: readonly Entry[],
  { messages, fingerprint }: { readonly messages: number; readonly fingerprint: string },
): boolean {
  if (messages === 0 || messages > entries.length) return false;
  return fingerprintRange(entries.slice(0, messages)) === fingerprint;
}
