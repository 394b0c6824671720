import { withStreamed } from './write-messages.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { StoredMarks, StoredMessage, StoredPart } from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, Tx } from '../kit/schema.ts';

type PartRow = Selectable<Schema['parts']>;

export interface Span {
  readonly first: number;
  readonly end: number;
}

/** Rows are garbage as soon as they are messages: so many at once stay cheap to collect. */
const messagesPerRead = 500;

/** Messages `[first, end)` of a session, as they were stored. */
export async function readMessages(
  tx: Tx,
  sessionKey: number,
  { first, end }: Span,
): Promise<readonly StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (let from = first; from < end; from += messagesPerRead) {
    const span = { first: from, end: Math.min(end, from + messagesPerRead) };
    const read = await readSpan(tx, sessionKey, span);
    if (read.length === 0) break;
    for (const message of read) messages.push(message);
  }
  return messages;
}

async function readSpan(tx: Tx, sessionKey: number, { first, end }: Span): Promise<readonly StoredMessage[]> {
  const heads = await tx
    .selectFrom('messages')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .where('ordinal', '>=', first)
    .where('ordinal', '<', end)
    .orderBy('ordinal')
    .execute();
  const parts = await tx
    .selectFrom('parts')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .where('ordinal', '>=', first)
    .where('ordinal', '<', end)
    .orderBy('ordinal')
    .orderBy('part')
    .execute();
  const streamed = await readStreamed(tx, parts);
  let next = 0;
  return heads.map((head) => {
    const own: PartRow[] = [];
    for (let row = parts[next]; row?.ordinal === head.ordinal; row = parts[next]) {
      own.push(row);
      next += 1;
    }
    return messageOf(head, own, streamed);
  });
}

type Streamed = ReadonlyMap<number, readonly string[]>;

async function readStreamed(tx: Tx, parts: readonly PartRow[]): Promise<Streamed> {
  const streamed = new Map<number, readonly string[]>();
  for (const { key, is_open } of parts) {
    if (is_open === 0) continue;
    const rows = await tx
      .selectFrom('part_texts')
      .select('text')
      .where('part_key', '=', key)
      .orderBy('key')
      .execute();
    streamed.set(
      key,
      rows.map(({ text }) => text),
    );
  }
  return streamed;
}

function messageOf(
  head: Selectable<Schema['messages']>,
  rows: readonly PartRow[],
  streamed: Streamed,
): StoredMessage {
  const stored = JSON.parse(head.head) as SessionMessage;
  const parts: readonly StoredPart[] = rows.map(({ key, content }) =>
    withStreamed(content, streamed.get(key) ?? []),
  );
  const message = Array.isArray(stored.parts) ? { ...stored, parts } : stored;
  return {
    ordinal: head.ordinal,
    message,
    isOpen: head.is_open === 1,
    createdAtMs: head.created_at_ms,
    marks: rows.map(marksOf),
    ...(head.model === null ? {} : { model: head.model }),
    ...(head.error === null ? {} : { error: head.error }),
    ...(head.parent_id === null ? {} : { parentId: head.parent_id }),
  };
}

function marksOf(row: PartRow): StoredMarks {
  return {
    ...(row.is_truncated === 0 ? {} : { isTruncated: true }),
    ...(row.is_cancelled === 0 ? {} : { isCancelled: true }),
    ...(row.compacted_at_ms === null ? {} : { compactedAtMs: row.compacted_at_ms }),
  };
}
