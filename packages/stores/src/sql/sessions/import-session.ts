import { setImmediate as giveWay } from 'node:timers/promises';
import { ContextError } from '@throughline/core';
import { sql } from 'kysely';
import { KnownChanges } from '../kit/known-rows.ts';
import { sessionRow, SessionTransaction } from '../kit/session-transactions.ts';
import { addOutput, keep, sweepBlobs } from '../messages/attachments.ts';
import { readState } from '../messages/read-context.ts';
import { textOfBytes } from '../messages/search.ts';
import { appendMessage } from '../messages/write-messages.ts';
import {
  exportedSession,
  exportedTables,
  exportFormat,
  permissionLines,
  readableFormats,
  upgraded,
} from './export-session.ts';
import { decoded, messageOf } from './read-line.ts';
import { insertSession, placeOf, requireFree, sweepSession } from './session-rows.ts';
import type { BlobStore, NewSession } from '@throughline/ports';
import type { SessionRow } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';
import type { ExportedType } from './export-session.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Line {
  readonly number: number;
  readonly fields: Fields;
}

/** Lines that are stored in one transaction: short enough that nobody waits for the next one. */
const linesPerWrite = 200;
/** How long nobody takes the hidden session for one that was left behind, after each transaction. */
const mostWaitMs = 600_000;

/**
 * A session of an export. It grows out of sight, a few lines at a time, and is seen once it is whole; where a line is
 * wrong, or the process dies, it is swept.
 */
export async function importSession(
  transactions: SessionTransactions,
  blobs: BlobStore,
  lines: AsyncIterable<string> | Iterable<string>,
  asked: Asked,
): Promise<SessionRow> {
  let hidden: Hidden | undefined;
  let waiting: Line[] = [];
  try {
    for await (const line of parsedLines(lines)) {
      if (!hidden) {
        hidden = await begin(transactions, line, asked);
        continue;
      }
      waiting.push(line);
      if (waiting.length < linesPerWrite && line.fields['line'] !== 'blob') continue;
      await store(transactions, blobs, hidden.key, waiting);
      waiting = [];
      await giveWay();
    }
    if (!hidden) throw unreadable(1, 'is missing: the file is empty');
    await store(transactions, blobs, hidden.key, waiting);
    return await show(transactions, hidden);
  } catch (error) {
    if (hidden) await sweepSession(transactions, hidden.key);
    await sweepBlobs(transactions.database, blobs);
    throw error;
  }
}

/** What the session is to be, instead of what it was. */
type Asked = Pick<NewSession, 'id' | 'owner' | 'folder'>;

/** A session that nobody sees yet. */
interface Hidden {
  readonly key: number;
  readonly id: string;
  readonly firstLine: Line;
}

async function* parsedLines(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() !== '') yield { number, fields: parseLine(text, number) };
  }
}

function parseLine(text: string, number: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(number, 'is no JSON: the file was cut or edited');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unreadable(number, 'is no object');
  return value as Fields;
}

async function begin(transactions: SessionTransactions, firstLine: Line, asked: Asked): Promise<Hidden> {
  return transactions.database.write((tx) =>
    atLine(transactions, firstLine, async () => {
      const { line, format } = firstLine.fields;
      if (line !== 'session') throw new TypeError('is not the first line of an exported session');
      if (typeof format !== 'number' || !readableFormats.includes(format))
        throw new TypeError(`has format ${JSON.stringify(format)}, expected ${exportFormat}`);
      const columns = decoded(upgraded(firstLine.fields), exportedSession);
      const { id = String(columns['id']), owner = String(columns['owner'] ?? '') } = asked;
      const { folder = String(columns['folder'] ?? '') } = asked;
      const { key } = await insertSession(tx, transactions.around, { id });
      const lease_expires_at_ms = transactions.around.clock.nowMs() + mostWaitMs;
      const hide = { is_hidden: 1, lease_owner: 'import', lease_expires_at_ms };
      await tx
        .updateTable('sessions')
        .set({ ...columns, ...placeOf(columns, id), owner, folder, id, state_version: 1, ...hide })
        .where('key', '=', key)
        .execute();
      return { key, id, firstLine };
    }),
  );
}

/** The lines in their order; those that hold bytes one by one, since the bytes are written outside of a transaction. */
async function store(
  transactions: SessionTransactions,
  blobs: BlobStore,
  key: number,
  lines: readonly Line[],
): Promise<void> {
  let rows: Line[] = [];
  const flush = async (): Promise<void> => {
    const batch = rows;
    rows = [];
    if (batch.length > 0) await storeRows(transactions, key, batch);
  };
  for (const line of lines) {
    const kind = line.fields['line'];
    if (kind !== 'blob' && kind !== 'output') rows.push(line);
    else {
      await flush();
      await atLine(transactions, line, () => storeBytes(transactions, blobs, key, line.fields));
    }
  }
  await flush();
}

async function storeRows(
  transactions: SessionTransactions,
  key: number,
  lines: readonly Line[],
): Promise<void> {
  await changeHidden(transactions, key, async (work) => {
    for (const line of lines) await atLine(transactions, line, () => storeRow(work, line.fields));
  });
}

async function changeHidden(
  transactions: SessionTransactions,
  key: number,
  change: (work: SessionTransaction) => Promise<void>,
): Promise<void> {
  await transactions.database.write(async (tx) => {
    const work = await SessionTransaction.openHidden(tx, transactions.around, key);
    work.set({ lease_expires_at_ms: work.nowMs + mostWaitMs });
    await change(work);
    await work.saveAsOf(work.row.updated_at_ms);
  });
}

async function show(transactions: SessionTransactions, { key, id, firstLine }: Hidden): Promise<SessionRow> {
  return transactions.database.write((tx) =>
    atLine(transactions, firstLine, async () => {
      await requireFree(tx, id);
      const work = await SessionTransaction.openHidden(tx, transactions.around, key);
      await finish(work);
      return sessionRow(tx, id);
    }),
  );
}

/** Counters and head are what the lines come to; the time of the last use is that of the export. */
async function finish(work: SessionTransaction): Promise<void> {
  const { tx, row } = work;
  const state = await readState(tx, new KnownChanges(), row).catch((error: unknown) => {
    throw new TypeError('holds no sound state', { cause: error });
  });
  const head = state?.head ?? null;
  const checkpoints = await tx
    .selectFrom('checkpoints')
    .select('id')
    .where('session_key', '=', row.key)
    .execute();
  if (head !== null && !checkpoints.some(({ id }) => id === head))
    throw new TypeError('holds a state whose checkpoint is in no line');
  work.set({
    is_hidden: 0,
    lease_owner: null,
    lease_expires_at_ms: 0,
    head_checkpoint: head,
    compaction_count: await countFrom(work, 'checkpoints', 'position'),
    inbox_count: await countFrom(work, 'inbox', 'position'),
    event_count: (await countFrom(work, 'events', 'seq')) - 1,
  });
  await work.saveAsOf(row.updated_at_ms);
}

/** The number behind the greatest one; 0 for none, but 1 for events, which count from there. */
async function countFrom(
  { tx, key }: SessionTransaction,
  table: 'checkpoints' | 'inbox' | 'events',
  column: 'position' | 'seq',
): Promise<number> {
  const { rows } = await sql<{ greatest: number | null }>`
    select max(${sql.ref(column)}) as greatest from ${sql.table(table)} where session_key = ${key}`.execute(
    tx,
  );
  return (rows[0]?.greatest ?? (table === 'events' ? 0 : -1)) + 1;
}

async function storeRow(work: SessionTransaction, fields: Fields): Promise<void> {
  const kind = String(fields['line']);
  if (permissionLines.has(kind)) return;
  if (kind === 'message') return void (await appendMessage(work, messageOf(fields)));
  if (!Object.hasOwn(exportedTables, kind)) throw new TypeError(`is of an unknown kind: ${kind}`);
  const { table, columns } = exportedTables[kind as ExportedType];
  if (kind === 'event' && (typeof fields['data'] !== 'object' || fields['data'] === null))
    throw new TypeError('has no data of type object');
  const values = { session_key: work.key, ...decoded(upgraded(fields), columns) };
  const names = Object.keys(values).map((name) => sql.ref(name));
  await sql`
    insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(Object.values(values))})`.execute(
    work.tx,
  );
}

async function storeBytes(
  transactions: SessionTransactions,
  blobs: BlobStore,
  key: number,
  fields: Fields,
): Promise<void> {
  if (fields['line'] === 'blob') {
    const bytes = Buffer.from(String(fields['base64']), 'base64');
    const mediaType = typeof fields['mediaType'] === 'string' ? fields['mediaType'] : null;
    const hash = await keep({ bytes, mediaType }, blobs, (refer) => changeHidden(transactions, key, refer));
    if (hash !== fields['hash']) throw new TypeError('holds a blob that is not of its name');
    return;
  }
  const { number, call_id, hash, created_at_ms } = decoded(fields, {
    number: 'number',
    call_id: 'text',
    hash: 'text',
    created_at_ms: 'number',
  }) as { number: number; call_id: string; hash: string; created_at_ms: number };
  const bytes = await blobs.get(hash);
  await changeHidden(transactions, key, async (work) => {
    work.set({ output_count: Math.max(work.row.output_count, number + 1) });
    // Whoever names the bytes of another session does not have them for that.
    if (!bytes || !(await hasBlob(work, hash))) return;
    await addOutput(work, { number, call_id, hash, created_at_ms }, textOfBytes(bytes));
  });
}

/** Whether it came in a line of this import. */
async function hasBlob({ tx, key }: SessionTransaction, hash: string): Promise<boolean> {
  const found = await tx
    .selectFrom('session_blobs')
    .select('hash')
    .where('session_key', '=', key)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return found !== undefined;
}

async function atLine<Result>(
  transactions: SessionTransactions,
  { number }: Line,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const isTaken = ContextError.is(error, 'already-exists') && error.details.kind === 'session';
    const isOfLine =
      error instanceof TypeError || ContextError.is(error) || transactions.database.isRefusal(error);
    if (isTaken || !isOfLine) throw error;
    throw unreadable(
      number,
      error instanceof TypeError ? error.message : 'contradicts the lines before it',
      error,
    );
  }
}

function unreadable(line: number, reason: string, cause?: unknown): ContextError<'unreadable-file'> {
  const details = { file: 'export', line, reason };
  return new ContextError('unreadable-file', `Line ${line} of the export ${reason}.`, details, { cause });
}
