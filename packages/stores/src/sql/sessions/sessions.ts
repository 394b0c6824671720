import { numbersOf } from '../kit/failures.ts';
import { isHeld } from '../kit/leases.ts';
import { sweepBlobs } from '../messages/attachments.ts';
import { forkSession } from './fork-session.ts';
import { exportSession } from './export-session.ts';
import { importSession } from './import-session.ts';
import { insertSession, sweepSession } from './session-rows.ts';
import type { BlobStore, Page, SessionInfo, SessionQuery, Sessions, SessionStatus } from '@throughline/ports';
import type { SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions, Surroundings } from '../kit/session-transactions.ts';

const pageOfSessions = 50;

export function sessionsOf(transactions: SessionTransactions, blobs: BlobStore): Sessions {
  const { around } = transactions;
  return {
    create: (session = {}) =>
      transactions.database.write(async (tx) => infoOf(await insertSession(tx, around, session), around)),
    read: (sessionId) => transactions.read(sessionId, async (_tx, row) => infoOf(row, around)),
    list: (query = {}) => transactions.database.read((tx) => listSessions(tx, around, query)),
    rename: (sessionId, title, events = []) =>
      transactions.change(sessionId, (work) => {
        work.set({ title });
        return work.appendEvents(events);
      }),
    async delete(sessionId) {
      const key = await transactions.database.write((tx) => hideSession(tx, sessionId));
      if (key === undefined) return false;
      await sweepSession(transactions, key);
      await sweepBlobs(transactions.database, blobs);
      return true;
    },
    fork: async (sessionId, fork) => infoOf(await forkSession(transactions, blobs, sessionId, fork), around),
    export: (sessionId) => exportSession(transactions, blobs, sessionId),
    import: async (lines, options = {}) =>
      infoOf(await importSession(transactions, blobs, lines, options), around),
  };
}

async function listSessions(tx: Tx, around: Surroundings, query: SessionQuery): Promise<Page<SessionInfo>> {
  const { owner, folder, family, updatedSinceMs, isNewestOfFamily, cursor, limit = pageOfSessions } = query;
  const [atMs, key] = numbersOf(cursor ?? '0.0', 2);
  const rows = await tx
    .selectFrom('sessions')
    .selectAll()
    .where('is_hidden', '=', 0)
    .$if(owner !== undefined, (some) => some.where('owner', '=', owner ?? ''))
    .$if(folder !== undefined, (some) => some.where('folder', '=', folder ?? ''))
    .$if(family !== undefined, (some) => some.where('family', '=', family ?? ''))
    .$if(updatedSinceMs !== undefined, (some) => some.where('updated_at_ms', '>=', updatedSinceMs ?? 0))
    .$if(isNewestOfFamily === true, (some) =>
      some.where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('sessions as other')
              .select('other.key')
              .whereRef('other.family', '=', 'sessions.family')
              .whereRef('other.owner', '=', 'sessions.owner')
              .where('other.is_hidden', '=', 0)
              .where((newer) =>
                newer.or([
                  newer('other.updated_at_ms', '>', newer.ref('sessions.updated_at_ms')),
                  newer.and([
                    newer('other.updated_at_ms', '=', newer.ref('sessions.updated_at_ms')),
                    newer('other.key', '>', newer.ref('sessions.key')),
                  ]),
                ]),
              ),
          ),
        ),
      ),
    )
    .$if(cursor !== undefined, (some) =>
      some.where((where) =>
        where.or([
          where('updated_at_ms', '<', atMs),
          where.and([where('updated_at_ms', '=', atMs), where('key', '<', key)]),
        ]),
      ),
    )
    .orderBy('updated_at_ms', 'desc')
    .orderBy('key', 'desc')
    .limit(limit + 1)
    .execute();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const next = rows.length > limit && last ? `${last.updated_at_ms}.${last.key}` : null;
  return { items: items.map((row) => infoOf(row, around)), next };
}

async function hideSession(tx: Tx, sessionId: string): Promise<number | undefined> {
  const hidden = await tx
    .updateTable('sessions')
    .set({ is_hidden: 1, lease_owner: null })
    .where('id', '=', sessionId)
    .where('is_hidden', '=', 0)
    .returning('key')
    .executeTakeFirst();
  return hidden?.key;
}

/** A run that died said last that it was running: without a lease in force nobody does anything. */
function infoOf(row: SessionRow, around: Surroundings): SessionInfo {
  return {
    id: row.id,
    title: row.title,
    owner: row.owner,
    folder: row.folder,
    model: row.model,
    status: isHeld(row, around) ? (row.status as SessionStatus) : 'idle',
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    messageCount: row.message_count,
    lastEventSeq: row.event_count,
    compactionCount: row.compaction_count,
    lastCompactionAtMs: row.last_compaction_at_ms,
    headCheckpoint: row.head_checkpoint,
    parentSessionId: row.parent_id,
    forkedAt: row.forked_at,
    family: row.family,
  };
}
