import { isHeld } from '../kit/leases.ts';
import { accepted, visible } from '../kit/index-terms.ts';
import type { Json } from '@throughline/core/codec';
import type { Journal, StoredEvent, StoredRun, UnfinishedSession } from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, Tx } from '../kit/schema.ts';
import type { SessionTransactions, Surroundings } from '../kit/session-transactions.ts';

const pageOfEvents = 1_000;

export function journalOf(transactions: SessionTransactions): Journal {
  return {
    append: (sessionId, events) => transactions.change(sessionId, (work) => work.appendEvents(events)),
    after: (sessionId, seq, limit = pageOfEvents) =>
      transactions.read(sessionId, async (tx, row) => {
        const rows = await tx
          .selectFrom('events')
          .selectAll()
          .where('session_key', '=', row.key)
          .where('seq', '>', seq)
          .orderBy('seq')
          .limit(limit)
          .execute();
        return rows.map(eventOf);
      }),
    runs: (sessionId) =>
      transactions.read(sessionId, async (tx, session) => {
        const rows = await tx
          .selectFrom('runs')
          .selectAll()
          .where('session_key', '=', session.key)
          .orderBy('position')
          .execute();
        return rows.map((row) => runOf(row, session.id));
      }),
    unfinished: () => transactions.database.read((tx) => readUnfinished(tx, transactions.around)),
  };
}

/** Sessions with a run that has not ended, or with messages that wait. */
async function readUnfinished(tx: Tx, around: Surroundings): Promise<readonly UnfinishedSession[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select((from) => [
      'id',
      'lease_owner',
      'lease_holder',
      'lease_expires_at_ms',
      from
        .exists(
          from
            .selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.session_key', '=', 'sessions.key')
            .where('ended_at_ms', 'is', null)
            .where('epoch', '>', 0),
        )
        .as('open_run'),
      from
        .exists(
          from
            .selectFrom('inbox')
            .select('inbox.id')
            .whereRef('inbox.session_key', '=', 'sessions.key')
            .where('state', '=', accepted),
        )
        .as('waiting'),
    ])
    .where('is_hidden', '=', visible)
    .orderBy('key')
    .execute();
  return rows
    .map((row) => ({
      sessionId: row.id,
      hasOpenRun: Boolean(row.open_run),
      hasWaiting: Boolean(row.waiting),
      leasedUntilMs: isHeld(row, around) ? row.lease_expires_at_ms : null,
    }))
    .filter(({ hasOpenRun, hasWaiting }) => hasOpenRun || hasWaiting);
}

function eventOf(row: Selectable<Schema['events']>): StoredEvent {
  const { seq, type, run_id: runId, at_ms: atMs } = row;
  return { seq, type, data: JSON.parse(row.data) as Json, runId, atMs };
}

function runOf(row: Selectable<Schema['runs']>, sessionId: string): StoredRun {
  return {
    id: row.id,
    sessionId,
    epoch: row.epoch,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
    outcome: JSON.parse(row.outcome) as Json,
  };
}
