import { isHeld } from '../kit/leases.ts';
import { accepted, visible } from '../kit/index-terms.ts';
import type { Json } from '@throughline/core/codec';
import type { Journal, RunQuery, StoredEvent, StoredRun, UnfinishedSession } from '@throughline/ports';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Schema, Tables, Tx } from '../kit/schema.ts';
import type { SessionTransactions, Surroundings } from '../kit/session-transactions.ts';

const pageOfEvents = 1_000;

export function journalOf(transactions: SessionTransactions): Omit<Journal, 'onNews'> {
  return {
    append: (sessionId, events) => transactions.change(sessionId, async (work) => work.appendEvents(events)),
    after: (sessionId, seq, limit = pageOfEvents) =>
      transactions.look(sessionId, async (tables, row) => {
        const rows = await tables
          .selectFrom('events')
          .selectAll()
          .where('session_key', '=', row.key)
          .where('seq', '>', seq)
          .orderBy('seq')
          .limit(limit)
          .execute();
        return rows.map(eventOf);
      }),
    runs: (sessionId, query) =>
      transactions.look(sessionId, async (tables, session) => {
        const rows = await runRows(tables, session.key, query).execute();
        return rows.map((row) => runOf(row, session.id)).toReversed();
      }),
    changed: (sinceMs) => readChanged(transactions, sinceMs),
    seqBefore: (sessionId, atMs) =>
      transactions.look(sessionId, async (tables, { key }) => {
        const newest = await tables
          .selectFrom('events')
          .select('seq')
          .where('session_key', '=', key)
          .where('at_ms', '<', Math.floor(atMs))
          .orderBy('seq', 'desc')
          .limit(1)
          .executeTakeFirst();
        return newest?.seq ?? 0;
      }),
    unfinished: () => transactions.database.look((tables) => readUnfinished(tables, transactions.around)),
    abandoned: (query) => {
      const { database, around } = transactions;
      const read = (tx: Tx): Promise<readonly UnfinishedSession[]> => readAbandoned(tx, around, query);
      return around.locksRows ? database.writeAtOnce(read, 'while-machine-runs') : database.read(read);
    },
  };
}

/** The newest first. */
function runRows(tables: Tables, sessionKey: number, { id, isOpen, limit }: RunQuery = {}) {
  return tables
    .selectFrom('runs')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .$if(id !== undefined, (some) => some.where('id', '=', id ?? ''))
    .$if(isOpen === true, (some) => some.where('ended_at_ms', 'is', null))
    .orderBy('position', 'desc')
    .$if(limit !== undefined, (some) => some.limit(limit ?? 0));
}

async function readChanged(
  { database, around }: SessionTransactions,
  sinceMs: number | undefined,
): ReturnType<Journal['changed']> {
  const asOfMs = around.clock.nowMs();
  if (sinceMs === undefined) return { asOfMs, sessions: [] };
  const rows = await database.look((tables) =>
    tables
      .selectFrom('sessions')
      .select(['id', 'event_count'])
      .where('is_hidden', '=', visible)
      .where('updated_at_ms', '>=', Math.floor(sinceMs))
      .execute(),
  );
  return { asOfMs, sessions: rows.map((row) => ({ sessionId: row.id, lastEventSeq: row.event_count })) };
}

/** Sessions with a run that has not ended, or with messages that wait. Their keys come from small partial indexes. */
function unfinishedRows(tables: Tables, acceptedBeforeMs: number | undefined) {
  return tables
    .selectFrom('sessions')
    .select(['id', 'lease_owner', 'lease_holder', 'lease_expires_at_ms', 'event_count'])
    .select((from) => [
      from.exists(openRunOf(from).whereRef('runs.session_key', '=', 'sessions.key')).as('open_run'),
      from.exists(waitingOf(from).whereRef('inbox.session_key', '=', 'sessions.key')).as('waiting'),
    ])
    .where('is_hidden', '=', visible)
    .where(({ eb }) => {
      const waiting = waitingOf(eb).$if(acceptedBeforeMs !== undefined, (some) =>
        some.where('inbox.accepted_at_ms', '<=', acceptedBeforeMs ?? 0),
      );
      return eb('key', 'in', openRunOf(eb).union(waiting));
    });
}

const openRunOf = (from: ExpressionBuilder<Schema, keyof Schema>) =>
  from
    .selectFrom('runs')
    .select('runs.session_key as key')
    .where('runs.ended_at_ms', 'is', null)
    .where('runs.epoch', '>', 0);

const waitingOf = (from: ExpressionBuilder<Schema, keyof Schema>) =>
  from.selectFrom('inbox').select('inbox.session_key as key').where('inbox.state', '=', accepted);

async function readUnfinished(tables: Tables, around: Surroundings): Promise<readonly UnfinishedSession[]> {
  const rows = await unfinishedRows(tables, undefined).orderBy('key').execute();
  return rows.map((row) => unfinishedOf(row, around));
}

/** What another is about to take is passed over: nobody waits for anybody. */
async function readAbandoned(
  tx: Tx,
  around: Surroundings,
  { waitingForMs }: { readonly waitingForMs: number },
): Promise<readonly UnfinishedSession[]> {
  const rows = await unfinishedRows(tx, around.clock.nowMs() - waitingForMs)
    .where((where) =>
      where.or([
        where('lease_owner', 'is', null),
        where('lease_expires_at_ms', '<=', around.now()),
        // Of a process whose death only its neighbours see.
        ...(around.locksRows ? [] : [where('lease_holder', 'is not', null)]),
      ]),
    )
    .$if(around.locksRows, (some) => some.forUpdate().skipLocked())
    .execute();
  return rows.map((row) => unfinishedOf(row, around)).filter(({ leasedUntilMs }) => leasedUntilMs === null);
}

type UnfinishedRow = Awaited<ReturnType<ReturnType<typeof unfinishedRows>['execute']>>[number];

function unfinishedOf(row: UnfinishedRow, around: Surroundings): UnfinishedSession {
  return {
    sessionId: row.id,
    hasOpenRun: Boolean(row.open_run),
    hasWaiting: Boolean(row.waiting),
    leasedUntilMs: isHeld(row, around) ? row.lease_expires_at_ms : null,
    lastEventSeq: row.event_count,
  };
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
