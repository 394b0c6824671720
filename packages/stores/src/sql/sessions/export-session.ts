import { upgradeChange, upgradeCheckpoint, upgradeState } from '@throughline/core/internal';
import { sql } from 'kysely';
import { readMessages } from '../messages/read-messages.ts';
import type { BlobStore, StoredMessage } from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';

type Row = Readonly<Record<string, unknown>>;

/** Messages or events that are read in one go. */
const pageSize = 500;

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
  // The family of what is no copy is its own id, whatever that is where the session comes in.
  const family = session.parent_id === null ? null : session.family;
  yield lineOf('session', { format: exportFormat, ...encoded({ ...session, family }, exportedSession) });
  for (let first = 0; first < session.message_count; first += pageSize) {
    const end = Math.min(first + pageSize, session.message_count);
    const messages = await transactions.read(sessionId, (tx, { key }) =>
      readMessages(tx, key, { first, end }),
    );
    for (const message of messages) yield messageLine(message);
  }
  for (const [type, row] of rows) yield lineOf(type, encoded(row, exportedTables[type].columns));
  yield* eventLines(transactions, session);
  for (const { hash, media_type } of hashes) {
    const bytes = await blobs.get(hash);
    const mediaType = media_type === null ? {} : { mediaType: media_type };
    if (bytes) yield lineOf('blob', { hash, ...mediaType, base64: Buffer.from(bytes).toString('base64') });
  }
  // Behind the blobs: whoever reads it can put their text into the index.
  for (const output of outputs) yield lineOf('output', output);
}

interface Fixed {
  readonly session: SessionRow;
  readonly rows: readonly (readonly [ExportedType, Row])[];
  readonly outputs: readonly Row[];
  readonly hashes: readonly Pick<Selectable<Schema['session_blobs']>, 'hash' | 'media_type'>[];
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
  const hashes = await tx
    .selectFrom('session_blobs')
    .select(['hash', 'media_type'])
    .where('session_key', '=', session.key)
    .orderBy('hash')
    .execute();
  return { session, rows, outputs, hashes };
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

/** `?`: may be null. `json`: a value in the line, text in the table. */
export type ColumnType = 'text' | 'text?' | 'number' | 'number?' | 'json' | 'json?';

/** A table of which each row of a session is a line of its export. */
interface ExportedTable {
  readonly table: string;
  readonly order: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

/** By the kind of the line. Messages, outputs and blobs have kinds of their own. */
export const exportedTables = {
  change: { table: 'changes', order: 'position', columns: { position: 'number', change: 'json' } },
  checkpoint: {
    table: 'checkpoints',
    order: 'position',
    columns: {
      id: 'text',
      position: 'number',
      parent: 'text?',
      round: 'number?',
      reason: 'text',
      strategy: 'text',
      tokens_before: 'number',
      tokens_after: 'number',
      range_first: 'number?',
      range_end: 'number?',
      summary: 'text?',
      cost: 'json?',
      created_at_ms: 'number',
      checkpoint: 'json',
    },
  },
  inbox: {
    table: 'inbox',
    order: 'position',
    columns: {
      position: 'number',
      id: 'text',
      state: 'text',
      content: 'json',
      accepted_at_ms: 'number',
      updated_at_ms: 'number',
      message_id: 'text?',
      // Older exports have none.
      run_id: 'text?',
    },
  },
  run: {
    table: 'runs',
    order: 'position',
    columns: {
      position: 'number',
      id: 'text',
      started_at_ms: 'number',
      ended_at_ms: 'number?',
      outcome: 'json',
    },
  },
  event: {
    table: 'events',
    order: 'seq',
    columns: {
      seq: 'number',
      type: 'text',
      run_id: 'text?',
      chunk_of: 'text?',
      at_ms: 'number',
      data: 'json',
    },
  },
  value: { table: 'session_values', order: 'name', columns: { name: 'text', value: 'json' } },
} as const satisfies Readonly<Record<string, ExportedTable>>;

/**
 * What older exports carry, and what is never taken from one: what a user has allowed stays where he allowed it. A file
 * may be from somebody else, and a line in it would let tools run unasked.
 */
export const permissionLines: ReadonlySet<string> = new Set(['approval', 'grant']);

export type ExportedType = keyof typeof exportedTables;
const types = Object.keys(exportedTables) as readonly ExportedType[];

/** Columns of the session's own row that an export carries: neither key nor lease, and
 * nothing that follows from other lines. */
export const exportedSession: Readonly<Record<string, ColumnType>> = {
  id: 'text',
  title: 'text?',
  owner: 'text',
  // Older exports have none.
  folder: 'text?',
  parent_id: 'text?',
  forked_at: 'number?',
  family: 'text?',
  model: 'text?',
  created_at_ms: 'number',
  updated_at_ms: 'number',
  last_compaction_at_ms: 'number?',
  state: 'json?',
};

/** Version of the lines. Those of the first say what the engine stored in other words. */
export const exportFormat = 2;
export const readableFormats: readonly number[] = [1, exportFormat];

type Fields = Readonly<Record<string, unknown>>;

/** What the engine wrote in a line of an export, in the words of today: exports of format 1 have those of before. */
export function upgraded(fields: Fields): Fields {
  const { state, change, checkpoint } = fields;
  return {
    ...fields,
    ...(state !== undefined && { state: upgradeState(state) }),
    ...(change !== undefined && { change: upgradeChange(change) }),
    ...(checkpoint !== undefined && { checkpoint: upgradeCheckpoint(checkpoint) }),
  };
}
