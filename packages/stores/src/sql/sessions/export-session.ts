import { sql } from 'kysely';
import { readMessages } from '../messages/read-messages.ts';
import { exportedSession, exportedTables, exportFormat } from './exported-tables.ts';
import type { BlobStore, StoredMessage } from '@throughline/ports';
import type { SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';
import type { ColumnType, ExportedType } from './exported-tables.ts';

type Row = Readonly<Record<string, unknown>>;

/** Messages or events that are read in one go. */
const pageSize = 500;

const types = Object.keys(exportedTables) as readonly ExportedType[];

/**
 * The session as lines. Everything that changes is read at once, at the
 * first line; history and events, which only grow, are read in pages up to where they were then.
 */
export async function* exportSession(
  transactions: SessionTransactions,
  blobs: BlobStore,
  sessionId: string,
): AsyncGenerator<string> {
  const { session, rows, outputs, hashes } = await transactions.read(sessionId, readFixed);
  yield lineOf('session', { format: exportFormat, ...encoded(session, exportedSession) });
  for (let first = 0; first < session.message_count; first += pageSize) {
    const end = Math.min(first + pageSize, session.message_count);
    const messages = await transactions.read(sessionId, (tx, { key }) =>
      readMessages(tx, key, { first, end }),
    );
    for (const message of messages) yield messageLine(message);
  }
  for (const [type, row] of rows) yield lineOf(type, encoded(row, exportedTables[type].columns));
  yield* eventLines(transactions, session);
  for (const hash of hashes) {
    const bytes = await blobs.get(hash);
    if (bytes) yield lineOf('blob', { hash, base64: Buffer.from(bytes).toString('base64') });
  }
  // Behind the blobs: whoever reads it can put their text into the index.
  for (const output of outputs) yield lineOf('output', output);
}

interface Fixed {
  readonly session: SessionRow;
  readonly rows: readonly (readonly [ExportedType, Row])[];
  readonly outputs: readonly Row[];
  readonly hashes: readonly string[];
}

async function readFixed(tx: Tx, session: SessionRow): Promise<Fixed> {
  const rows: (readonly [ExportedType, Row])[] = [];
  for (const type of types) {
    if (type === 'event') continue;
    const { table, order } = exportedTables[type];
    const found = await sql<Row>`
      select * from ${sql.table(table)} where session_key = ${session.key} order by ${sql.ref(order)}`.execute(
      tx,
    );
    for (const row of found.rows) rows.push([type, row]);
  }
  const outputs = await tx
    .selectFrom('outputs')
    .select(['number', 'call_id', 'hash', 'created_at_ms'])
    .where('session_key', '=', session.key)
    .orderBy('number')
    .execute();
  const blobRows = await tx
    .selectFrom('session_blobs')
    .select('hash')
    .where('session_key', '=', session.key)
    .orderBy('hash')
    .execute();
  return { session, rows, outputs, hashes: blobRows.map(({ hash }) => hash) };
}

async function* eventLines(
  transactions: SessionTransactions,
  { id, event_count }: SessionRow,
): AsyncGenerator<string> {
  for (let seq = 0; ;) {
    const events = await transactions.read(id, (tx, { key }) =>
      tx
        .selectFrom('events')
        .selectAll()
        .where('session_key', '=', key)
        .where('seq', '>', seq)
        .where('seq', '<=', event_count)
        .orderBy('seq')
        .limit(pageSize)
        .execute(),
    );
    for (const event of events) yield lineOf('event', encoded(event, exportedTables.event.columns));
    const last = events.at(-1);
    if (!last) return;
    seq = last.seq;
  }
}

function messageLine({ ordinal: _ordinal, message, isOpen, marks, ...rest }: StoredMessage): string {
  const hasMarks = marks.some((mark) => Object.keys(mark).length > 0);
  return lineOf('message', {
    ...rest,
    ...(isOpen ? { isOpen } : {}),
    ...(hasMarks ? { marks } : {}),
    message,
  });
}

function encoded(row: Row, columns: Readonly<Record<string, ColumnType>>): Row {
  const entries = Object.entries(columns).map(([name, type]) => {
    const value = row[name];
    const isText = (type === 'json' || type === 'json?') && typeof value === 'string';
    return [name, isText ? (JSON.parse(value) as unknown) : (value ?? null)] as const;
  });
  return Object.fromEntries(entries);
}

function lineOf(line: string, fields: Row): string {
  return JSON.stringify({ line, ...fields });
}
