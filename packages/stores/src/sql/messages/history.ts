import { cursorOf, numbersOf } from '../kit/cursors.ts';
import { readContext } from './read-context.ts';
import { readMessages } from './read-messages.ts';
import { recallFrom, recallOutput, Searcher } from './search.ts';
import type { Json } from '@throughline/core/codec';
import type { Checkpoint } from '@throughline/core';
import type {
  BlobStore,
  History,
  HistoryQuery,
  Page,
  StoredCheckpoint,
  StoredMessage,
} from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';

const pageOfMessages = 50;
const pageOfHits = 20;

export function historyOf(transactions: SessionTransactions, blobs: BlobStore): History {
  return {
    context: (sessionId, changes) => readContext(transactions, sessionId, changes),
    messages: (sessionId, first, end) =>
      transactions.read(sessionId, (tx, { key }) =>
        readMessages(tx, key, { first: Math.max(0, first), end }),
      ),
    find: (sessionId, messageId) =>
      transactions.read(sessionId, async (tx, { key }) => {
        const found = await tx
          .selectFrom('messages')
          .select('ordinal')
          .where('session_key', '=', key)
          .where('id', '=', messageId.toWellFormed())
          .executeTakeFirst();
        if (!found) return undefined;
        return (await readMessages(tx, key, { first: found.ordinal, end: found.ordinal + 1 }))[0];
      }),
    page: (sessionId, query = {}) =>
      transactions.read(sessionId, (tx, session) => readPage(tx, session, query)),
    checkpoints: (sessionId) =>
      transactions.read(sessionId, async (tx, session) => {
        const rows = await tx
          .selectFrom('checkpoints')
          .selectAll()
          .where('session_key', '=', session.key)
          .orderBy('position')
          .execute();
        return rows.map(checkpointOf);
      }),
    async recall(sessionId, recallId) {
      const found = await transactions.read(sessionId, (tx, session) => recallFrom(tx, session, recallId));
      return found && 'hash' in found ? recallOutput(blobs, recallId, found.hash) : found;
    },
    search: (sessionId, query, limit = pageOfHits) =>
      new Searcher(transactions, blobs).find(sessionId, { query, limit }),
  };
}

async function readPage(
  tx: Tx,
  { key, message_count }: SessionRow,
  { cursor, limit = pageOfMessages }: HistoryQuery,
): Promise<Page<StoredMessage>> {
  const end = Math.min(message_count, cursor === undefined ? message_count : numbersOf(cursor, 1)[0]);
  const first = Math.max(0, end - limit);
  const items = await readMessages(tx, key, { first, end });
  return { items, next: first > 0 ? cursorOf(first) : null };
}

function checkpointOf(row: Selectable<Schema['checkpoints']>): StoredCheckpoint {
  const { range_first: first, range_end: end } = row;
  return {
    checkpoint: JSON.parse(row.checkpoint) as Checkpoint,
    round: row.round,
    summary: row.summary,
    range: first === null || end === null ? null : { first, end },
    cost: row.cost === null ? null : (JSON.parse(row.cost) as Json),
    createdAtMs: row.created_at_ms,
  };
}
