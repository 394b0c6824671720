import { readRecording } from '@throughline/importers';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Codec } from '@throughline/core';
import type { FormatName, RecordedSession } from '@throughline/importers';

/** The sets of the report. A session belongs to the first that it fits. */
export const setNames = ['claude-code', 'pi+codex+opencode', 'chained', 'one-request', 'other'] as const;
export type SetName = (typeof setNames)[number];

/** A conversation to replay. */
export interface BenchSession {
  readonly name: string;
  readonly set: SetName;
  readonly format: FormatName;
  readonly codec: Codec;
  readonly messages: readonly unknown[];
  /** System text and tools that the log holds outside the messages. */
  readonly outside: string;
}

export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

export interface ReadSessions {
  readonly sessions: readonly BenchSession[];
  readonly skipped: readonly Skipped[];
}

const readable = /\.(?:json|jsonl|traj)$/;
const terminalAgents = new Set<FormatName>(['pi', 'codex-rollout', 'codex-exec', 'opencode']);

/**
 * Reads every recording under `folder`, whole, as recorded. Several conversations in one chat file are chained to one:
 * the first system message stays, the others go. Subagents are sessions of their own.
 */
export async function readSessions(folder: string): Promise<ReadSessions> {
  const sessions: BenchSession[] = [];
  const skipped: Skipped[] = [];
  for (const file of filesUnder(folder)) {
    const name = relative(folder, file);
    if (!readable.test(file)) {
      skipped.push({ name, reason: 'not JSON or JSONL' });
      continue;
    }
    try {
      const recording = await readRecording(file, { whole: true });
      const found = recording.sessions.filter(({ messages }) => messages.length > 0);
      const isChained = recording.format === 'openai-chat' && found.length > 1;
      sessions.push(
        ...(isChained
          ? [chain(name, found)]
          : found.map((session, index) =>
              benchSession(found.length > 1 ? `${name}#${index + 1}` : name, recording.format, session),
            )),
      );
    } catch (error) {
      skipped.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { sessions, skipped };
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesUnder(path) : [path]))
    .filter((path) => !/(?:^|[\\/])(?:LICENSE|[^\\/]*\.(?:md|py|txt))$/.test(path));
}

function benchSession(name: string, format: FormatName, session: RecordedSession): BenchSession {
  const { codec, messages } = session;
  return { name, set: setOf(format, codec, messages), format, codec, messages, outside: outsideOf(session) };
}

function outsideOf({ system = '', tools = [] }: RecordedSession): string {
  return tools.length === 0 ? system : `${system}\n${JSON.stringify(tools)}`;
}

function setOf(format: FormatName, codec: Codec, messages: readonly unknown[]): SetName {
  if (format === 'claude-code') return 'claude-code';
  if (terminalAgents.has(format)) return 'pi+codex+opencode';
  return requestsIn(codec, messages) <= 1 ? 'one-request' : 'other';
}

function requestsIn(codec: Codec, messages: readonly unknown[]): number {
  const entries = messages.map((message, index) => codec.decode(message, index));
  return entries.filter(({ role, parts }) => role === 'user' && parts.some(({ type }) => type === 'text'))
    .length;
}

function chain(name: string, found: readonly RecordedSession[]): BenchSession {
  const codec = (found[0] as RecordedSession).codec;
  const messages = found.flatMap((session, index) =>
    index === 0
      ? session.messages
      : session.messages.filter((message) => codec.decode(message, 0).role !== 'system'),
  );
  return {
    name: `${name} (${found.length} chained)`,
    set: 'chained',
    format: 'openai-chat',
    codec,
    messages,
    outside: outsideOf(found[0] as RecordedSession),
  };
}
