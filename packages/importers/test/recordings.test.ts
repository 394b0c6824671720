import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { editObject } from '@throughline/core/codec';
import { describe, expect, it } from 'vitest';
import { readRecording } from '../src/read-recording.ts';
import { targetNames } from '../src/recording/format-names.ts';
import { writeRecording } from '../src/write-recording.ts';
import { eventLogs } from './samples.ts';
import type { Entry } from '@throughline/core';
import type { PartChange } from '@throughline/core/codec';
import type { RecordedSession, Recording, ViewMessage } from '../src/recording/recording.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = process.env['THROUGHLINE_SESSIONS'] ?? path.resolve(root, '../shared/data');
const isPresent = existsSync(folder);

function filesIn(at: string): string[] {
  return readdirSync(at)
    .toSorted()
    .map((name) => path.join(at, name))
    .flatMap((file) => (statSync(file).isDirectory() ? filesIn(file) : [file]))
    .filter((file) => /\.(json|jsonl|traj)$/.test(file));
}

function entriesOf(session: RecordedSession): Entry[] {
  return session.messages.map((message, index) => session.codec.decode(message, index));
}

function originals(session: RecordedSession): ViewMessage[] {
  return session.messages.map((message, index) => ({ type: 'original', index, message, isEdited: false }));
}

function note(session: RecordedSession): ViewMessage[] {
  const item = {
    role: 'user',
    kind: 'note',
    parts: [{ type: 'text', text: 'Go on — “weiter” 続けて.' }],
  } as const;
  return session.codec.compose(item).messages.map((message) => ({ type: 'written', message }));
}

function summary(session: RecordedSession): ViewMessage[] {
  const item = {
    role: 'assistant',
    kind: 'summary',
    parts: [{ type: 'text', text: 'What was done: $& $1.' }],
  } as const;
  return session.codec.compose(item).messages.map((message) => ({ type: 'written', message }));
}

/** Every result replaced and every long argument cleared, as a prune would. */
function pruned(session: RecordedSession): ViewMessage[] {
  return entriesOf(session).map((entry, index) => {
    const changes = entry.parts.flatMap((part): PartChange[] => {
      if (part.type === 'result')
        return [{ type: 'replace-result', part, text: '[cleared "x"]\n$&', keepMedia: false }];
      if (part.type === 'reasoning') return [];
      return [];
    });
    const message = editObject(entry.wire, session.codec.edit(entry, changes));
    return { type: 'original', index, message, isEdited: message !== session.messages[index] };
  });
}

async function reread(text: string): Promise<Recording> {
  return readRecording(pieces(text), { name: 'written' });
}

async function* pieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 70_000) yield text.slice(at, at + 70_000);
}

/** The same session in the file that was written: the only one, except in datasets of several. */
function sameSession(
  read: Recording,
  recording: Recording,
  session: RecordedSession,
): RecordedSession | undefined {
  return read.sessions.length > 1 && recording.format === 'openai-chat'
    ? read.sessions[recording.sessions.indexOf(session)]
    : read.sessions[0];
}

describe.skipIf(!isPresent)('recorded sessions', () => {
  it.each(isPresent ? filesIn(folder).map((file) => path.relative(folder, file)) : [])(
    '%s is read and written back',
    async (file) => {
      const recording = await readRecording(path.join(folder, file));
      expect(recording.sessions.length).toBeGreaterThan(0);
      expect(recording.sessions[0]?.kind).toBe('active');
      for (const session of recording.sessions) {
        checkPairs(session);
        if (eventLogs.has(recording.format) && session.origins[0]?.type !== 'element')
          checkConversions(recording, session);
        else await checkWriting(recording, session);
      }
    },
  );
});

function checkPairs(session: RecordedSession): void {
  expect(session.messages.length).toBeGreaterThan(0);
  expect(session.origins).toHaveLength(session.messages.length);
  const open: string[] = [];
  for (const entry of entriesOf(session)) {
    for (const part of entry.parts) {
      if (part.type === 'call' && part.isProviderExecuted !== true) open.push(part.callId);
      if (part.type !== 'result' || part.isProviderExecuted === true) continue;
      const call = open.lastIndexOf(part.callId);
      expect(call, `result of ${part.callId}`).toBeGreaterThanOrEqual(0);
      open.splice(call, 1);
    }
  }
  // A log may end, or be interrupted, before a call is answered.
  expect(open.length).toBeLessThanOrEqual(2);
  for (const { messageIndex, inputTokens } of session.usage) {
    expect(messageIndex).toBeLessThanOrEqual(session.messages.length);
    expect(inputTokens).toBeLessThan(1_000_000);
  }
  expect(new Set(session.usage.map(({ messageIndex }) => messageIndex)).size).toBe(session.usage.length);
}

function checkConversions(recording: Recording, session: RecordedSession): void {
  expect(() => writeRecording(recording, session, originals(session))).toThrow(/Choose a format/);
  for (const to of targetNames) {
    const { text, format } = writeRecording(recording, session, originals(session), { to });
    expect(format).toBe(to);
    expect(text.length).toBeGreaterThan(0);
  }
}

async function checkWriting(recording: Recording, session: RecordedSession): Promise<void> {
  const unchanged = writeRecording(recording, session, originals(session));
  const again = sameSession(await reread(unchanged.text), recording, session);
  expect(again?.messages).toEqual(session.messages);

  const view = [...originals(session), ...note(session)];
  const longer = await reread(writeRecording(recording, session, view).text);
  expect(longer.format).toBe(recording.format);
  const read = sameSession(longer, recording, session);
  expect(read?.messages.slice(0, -1)).toEqual(session.messages);

  const edited = pruned(session);
  const shorter = await reread(writeRecording(recording, session, edited).text);
  expect(sameSession(shorter, recording, session)?.messages).toEqual(edited.map(({ message }) => message));

  const cut = closedAt(session, Math.floor(session.messages.length * 0.7));
  const compactedView = [
    ...edited.slice(0, 1),
    ...summary(session),
    ...note(session),
    ...edited.slice(Math.max(cut, 1)),
  ];
  const compacted = sameSession(
    await reread(writeRecording(recording, session, compactedView).text),
    recording,
    session,
  );
  expect(compacted?.messages).toHaveLength(compactedView.length);
  const kept = (messages: readonly unknown[] | undefined): unknown[] =>
    (messages ?? []).filter((_, at) => compactedView[at]?.type === 'original');
  expect(kept(compacted?.messages)).toEqual(kept(compactedView.map(({ message }) => message)));
}

/** The first position from `start` on at which all calls before are answered. */
function closedAt(session: RecordedSession, start: number): number {
  const entries = entriesOf(session);
  const isResult = (at: number): boolean => entries[at]?.parts.some(({ type }) => type === 'result') ?? false;
  const isCall = (at: number): boolean => entries[at]?.parts.some(({ type }) => type === 'call') ?? false;
  let at = start;
  while (at < entries.length && ((isResult(at) && !isCall(at)) || isCall(at - 1))) at += 1;
  return at;
}

it.runIf(!isPresent)('recorded sessions are absent here, so reading them is not tested', () => {
  expect(isPresent).toBe(false);
});
