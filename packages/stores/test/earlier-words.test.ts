import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import {
  createStrategy,
  formerState,
  openLoadedTranscript,
  prepare,
  renderView,
  sessionCodec,
} from '@throughline/core';
import { memoryBlobs, openSqliteStore } from '../src/index.ts';
import { migrations } from '../src/sqlite/migrations.ts';
import { openDatabase } from '../src/sqlite/open-database.ts';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { Policy } from '@throughline/core';
import type { SessionStore } from '@throughline/ports';

// An export that was written before the words of today, of a session with a truncated result and two compactions.
const exported = readFileSync(join(import.meta.dirname, 'fixtures/session-of-format-1.jsonl'), 'utf8');
const lines = exported
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
const policy: Policy = {
  strategy: createStrategy('proactive-threshold'),
  budget: { windowTokens: 3_000 },
};
// Of what that version sent for it.
const sentThen = '45f693f0ad5705079508878b949aa38a3769839089a78a8a1140f0ac6bc48270';

const ofKind = (kind: string): typeof lines => lines.filter(({ line }) => line === kind);

/** What the next request of the stored session is. */
async function sent(store: SessionStore): Promise<string> {
  const { state, messages, historyLength } = await store.history.context('s');
  if (!state) throw new Error('expected a state');
  const transcript = openLoadedTranscript(
    { codec: sessionCodec },
    { messages, historyLength, changes: state.changes },
  );
  const step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  const shown = renderView(transcript, step.view).messages.map(({ message }) => message);
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex');
}

/** A store file as version 4 of the tables had it, filled with what the lines hold. */
function writeStoreOfVersion4(file: string): void {
  const database = openDatabase(file, migrations.slice(0, 4));
  const insert = (table: string, row: Readonly<Record<string, unknown>>): void => {
    const names = Object.keys(row);
    const values = Object.values(row).map((value) =>
      typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as string | number | null),
    );
    database
      .prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`)
      .run(...values);
  };
  const { line: _line, format: _format, ...session } = lines[0] ?? {};
  const counts = { message_count: ofKind('message').length, compaction_count: ofKind('checkpoint').length };
  const head_checkpoint = (session['state'] as { head: string }).head;
  insert('sessions', { ...session, ...counts, head_checkpoint, key: 1, status: 'idle' });
  ofKind('message').forEach(({ message }, ordinal) => {
    const { parts, ...head } = message as { id: string; role: string; parts: readonly { type: string }[] };
    const { id, role } = head;
    const flags = { is_open: 0, created_at_ms: 1 };
    insert('messages', { session_key: 1, ordinal, id, role, ...flags, head: { ...head, parts: [] } });
    parts.forEach((content, part) => {
      const row = { session_key: 1, ordinal, part, type: content.type, content };
      insert('parts', { ...row, is_truncated: 0, is_open: 0 });
    });
  });
  for (const kind of ['change', 'checkpoint']) {
    for (const { line: _, ...row } of ofKind(kind)) insert(`${kind}s`, { ...row, session_key: 1 });
  }
  database.close();
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-earlier-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store.db');
}

it('opens a store of before: its next request is the same to the byte, and its words are those of today', async () => {
  const file = temporaryFile();
  writeStoreOfVersion4(file);
  const store = await openSqliteStore({ file, blobs: memoryBlobs() });
  expect(await sent(store)).toBe(sentThen);
  await store[Symbol.asyncDispose]();
  using database = new DatabaseSync(file);
  const texts = [
    ...database.prepare('select change as text from changes').all(),
    ...database.prepare('select checkpoint as text from checkpoints').all(),
    ...database.prepare('select state as text from sessions').all(),
  ].map(({ text }) => String(text));
  expect(texts).toHaveLength(ofKind('change').length + ofKind('checkpoint').length + 1);
  for (const text of texts) {
    expect(text).not.toMatch(
      /"(?:result-shortened|range-summarised|admission|admitted|record|isHeld|digest)"/,
    );
  }
});

it('brings back the view before a compaction of before', async () => {
  const file = temporaryFile();
  writeStoreOfVersion4(file);
  await using store = await openSqliteStore({ file, blobs: memoryBlobs() });
  const { state } = await store.history.context('s');
  const checkpoint = (await store.history.checkpoints('s')).at(-1)?.checkpoint;
  if (!state || !checkpoint) throw new Error('expected a state and a checkpoint');
  const former = formerState(state, checkpoint);
  expect(former.changes.slice(0, checkpoint.retired.length)).toEqual(checkpoint.retired);
  expect(former.changes.some(({ type }) => type === 'range-compacted')).toBe(true);
  expect(former.truncation).toEqual(checkpoint.truncation);
});

it('reads an export of before, and writes what it read in the words of today', async () => {
  await using store = await openSqliteStore({ file: ':memory:', blobs: memoryBlobs() });
  await store.sessions.import(exported.split('\n'));
  expect(await sent(store)).toBe(sentThen);
  let text = '';
  for await (const line of store.sessions.export('s')) text += line;
  expect(text).toContain('"range-compacted"');
  expect(text).not.toContain('"range-summarised"');
});
