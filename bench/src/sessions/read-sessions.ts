import { readRecording } from '@throughline/importers';
import { sessionToReplay } from '@throughline/replay';
import { readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Codec } from '@throughline/core';
import type { FormatName, RecordedSession, Recording } from '@throughline/importers';
import type { SessionToReplay } from '@throughline/replay';

/** The sets of the report. A session belongs to the first that it fits. */
export const setNames = ['claude-code', 'pi+codex+opencode', 'chained', 'one-request', 'other'] as const;
export type SetName = (typeof setNames)[number];

/** A conversation to replay. */
export interface BenchSession extends SessionToReplay {
  readonly name: string;
  readonly set: SetName;
  readonly format: FormatName;
}

export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

interface ReadSessions {
  readonly sessions: readonly BenchSession[];
  readonly skipped: readonly Skipped[];
}

const readable = /\.(?:json|jsonl|traj)$/;
const terminalAgents = new Set<FormatName>(['pi', 'codex-rollout', 'codex-exec', 'opencode']);

/**
 * Reads every recording under `folder`, whole, as recorded. Several conversations in one chat file are chained to one:
 * the first system message stays, the others go. Subagents are sessions of their own. `namesFolder`: names begin with
 * that of the folder.
 */
export async function readSessions(folder: string, namesFolder = false): Promise<ReadSessions> {
  const sessions: BenchSession[] = [];
  const skipped: Skipped[] = [];
  for (const file of filesUnder(folder)) {
    const inside = relative(folder, file) || basename(file);
    const name = namesFolder ? join(basename(folder), inside) : inside;
    if (!readable.test(file)) {
      skipped.push({ name, reason: 'not JSON or JSONL' });
      continue;
    }
    try {
      sessions.push(...sessionsOf(name, await readRecording(file, { whole: true })));
    } catch (error) {
      skipped.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { sessions, skipped };
}

function filesUnder(folder: string): string[] {
  if (!statSync(folder).isDirectory()) return [folder];
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
    .flatMap(filesUnder)
    .filter((path) => !/(?:^|[\\/])(?:LICENSE|[^\\/]*\.(?:md|py|txt))$/.test(path));
}

function sessionsOf(name: string, recording: Recording): BenchSession[] {
  const found = recording.sessions.filter(({ messages }) => messages.length > 0);
  const all = found.map((session, index) =>
    benchSession(found.length > 1 ? `${name}#${index + 1}` : name, recording, session),
  );
  return recording.format === 'openai-chat' && all.length > 1 ? [chain(name, all)] : all;
}

function benchSession(name: string, recording: Recording, session: RecordedSession): BenchSession {
  return {
    name,
    set: setOf(recording.format, session.codec, session.messages),
    format: recording.format,
    ...sessionToReplay(session, recording.document),
  };
}

function setOf(format: FormatName, codec: Codec, messages: readonly unknown[]): SetName {
  if (format === 'claude-code') return 'claude-code';
  if (terminalAgents.has(format)) return 'pi+codex+opencode';
  return requestsIn(codec, messages) <= 1 ? 'one-request' : 'other';
}

/** Runs of the user's messages: some agents write one request as several. */
function requestsIn(codec: Codec, messages: readonly unknown[]): number {
  const speaks = messages
    .map((message, index) => codec.decode(message, index))
    .filter(({ role }) => role !== 'system')
    .map(({ role, parts }) => role === 'user' && parts.some(({ type }) => type === 'text'));
  return speaks.filter((isUser, index) => isUser && speaks[index - 1] !== true).length;
}

function chain(name: string, found: readonly BenchSession[]): BenchSession {
  const first = found[0] as BenchSession;
  const isKept = (session: BenchSession, message: unknown): boolean =>
    session === first || session.codec.decode(message, 0).role !== 'system';
  return {
    ...first,
    name: `${name} (${found.length} chained)`,
    set: 'chained',
    messages: found.flatMap((session) => session.messages.filter((message) => isKept(session, message))),
    timesMs: [],
  };
}
