import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fingerprintRange } from '@throughline/core';
import { openMessages } from '../reading/open-session.ts';
import { parseStateFile, stateFileEnding } from './state-file.ts';
import type { Entry } from '@throughline/core';
import type { History } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { StateFile } from './state-file.ts';

export interface FoundHistory {
  /** `undefined` when no state file belongs to the session. */
  readonly history: History | undefined;
  /** Sentences on state files that could not be read. */
  readonly notes: readonly string[];
}

/** More state files than this in one folder are not looked into. */
const mostFiles = 500;

/**
 * Finds what was remembered of a session: a state file in the folder of its file whose history the session begins
 * with, or whose compacted transcript it begins with. By content, whatever the files are called; of several, the one
 * named after the file, then the newest. What was appended since is taken as new.
 */
export async function findHistory(opened: OpenedSession, path: string | undefined): Promise<FoundHistory> {
  if (path === undefined) return { history: undefined, notes: [] };
  const folder = dirname(await realpath(path).catch(() => path));
  const own = basename(path) + stateFileEnding;
  const notes: string[] = [];
  const found: { readonly name: string; readonly file: StateFile; readonly history: History }[] = [];
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(stateFileEnding)).slice(0, mostFiles)) {
    try {
      const file = parseStateFile(await readFile(join(folder, name), 'utf8'));
      const history = matchHistory(opened, { path: join(folder, name), file });
      if (history) found.push({ name, file, history });
    } catch (error) {
      notes.push(
        `The state file ${name} was left aside: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const rank = (name: string): number => (name === own ? 1 : 0);
  found.sort((a, b) => rank(b.name) - rank(a.name) || (a.file.writtenAt < b.file.writtenAt ? 1 : -1));
  return { history: found[0]?.history, notes };
}

type Source = NonNullable<History['source']>;

function matchHistory(opened: OpenedSession, source: Source): History | undefined {
  const { session, transcript } = opened;
  const { file } = source;
  if (file.source.codec !== session.codec.name) return undefined;
  const entries = [...transcript.conversation.entries];
  if (file.output && startsWith(entries, file.output))
    return fromOutput(opened, source, file.output.ordinals);
  if (!startsWith(entries, file.history)) return undefined;
  return {
    transcript,
    state: file.state,
    checkpoints: file.checkpoints,
    source,
    indexOf: (ordinal) => ordinal,
  };
}

function startsWith(
  entries: readonly Entry[],
  { messages, fingerprint }: { readonly messages: number; readonly fingerprint: string },
): boolean {
  if (messages === 0 || messages > entries.length) return false;
  return fingerprintRange(entries.slice(0, messages)) === fingerprint;
}

/** The full history behind a compacted transcript: archived messages, the ones it still holds, and what came since. */
function fromOutput(
  opened: OpenedSession,
  source: Source,
  ordinals: readonly (number | null)[],
): History | undefined {
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
  return {
    transcript,
    state: file.state,
    checkpoints: file.checkpoints,
    source,
    indexOf: (ordinal) => (ordinal < known ? indexes.get(ordinal) : ordinal - known + ordinals.length),
  };
}
