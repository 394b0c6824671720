import { cursorOf, numbersOf } from '../kit/cursors.ts';
import { isHeld } from '../kit/leases.ts';
import { visible } from '../kit/index-terms.ts';
import type { Page, SessionInfo, SessionQuery, SessionStatus } from '@throughline/ports';
import type { SessionRow, Tx } from '../kit/schema.ts';
import type { Surroundings } from '../kit/session-transactions.ts';

const pageOfSessions = 50;

/** Rows of sessions, the one touched last first. */
export async function listSessions(tx: Tx, query: SessionQuery): Promise<Page<SessionRow>> {
  const { owner, folder, family, updatedSinceMs, isNewestOfFamily, cursor, limit = pageOfSessions } = query;
  const [atMs, key] = numbersOf(cursor ?? '0.0', 2);
  const rows = await tx
    .selectFrom('sessions')
    .selectAll()
    .where('is_hidden', '=', visible)
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
  const next = rows.length > limit && last ? cursorOf(last.updated_at_ms, last.key) : null;
  return { items, next };
}

/** A run that died said last that it was running: without a lease in force nobody does anything. */
export function infoOf(row: SessionRow, around: Surroundings): SessionInfo {
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
