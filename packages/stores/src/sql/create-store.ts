import { applyWrites } from './runs/apply-write.ts';
import { approvalsOf } from './runs/approvals.ts';
import { attachmentsOf, sweepBlobs } from './messages/attachments.ts';
import { KnownChanges } from './kit/known-rows.ts';
import { SessionTransactions } from './kit/session-transactions.ts';
import { historyOf } from './messages/history.ts';
import { inboxOf } from './runs/inbox.ts';
import { journalOf } from './runs/journal.ts';
import { leasesOf } from './kit/leases.ts';
import { ownerUsageOf } from './runs/owner-usage.ts';
import { proxyStoreOf } from './proxy/proxy-store.ts';
import { sessionsOf } from './sessions/sessions.ts';
import { sweepSessions } from './sessions/session-rows.ts';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { BlobStore, Clock, IdSource, Journal, SessionStore, SettingsStore } from '@throughline/ports';
import type { Database, TextIndex } from './kit/database.ts';
import type { Json } from '@throughline/core/codec';
import type { Presence, TellNews } from './kit/session-transactions.ts';

/** What a session store over a database is made of. */
export interface StoreParts {
  readonly database: Database;
  readonly textIndex: TextIndex;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** @default nobody can tell, and a lease is good until it expires */
  readonly presence?: Presence;
  /** The time by which leases are judged, as a statement computes it. @default that of `clock` */
  readonly now?: () => RawBuilder<number>;
  /** How other processes learn at once of what was stored. @default they look for themselves */
  readonly news?: StoreNews;
}

interface StoreNews extends Pick<Journal, 'onNews'> {
  readonly tell: TellNews;
}

const noNews: StoreNews = { tell: () => {}, onNews: () => ({ [Symbol.dispose]: () => {} }) };

const nobodyKnows: Presence = { name: null, isDead: () => false };

/** A session store over an open database. */
export async function createStore({
  database,
  textIndex,
  blobs,
  clock,
  ids,
  presence = nobodyKnows,
  now,
  news = noNews,
}: StoreParts): Promise<SessionStore> {
  const wholeMs = { nowMs: () => Math.round(clock.nowMs()) };
  const knownChanges = new KnownChanges();
  const transactions = new SessionTransactions(database, {
    clock: wholeMs,
    ids,
    textIndex,
    knownChanges,
    presence,
    now: now ?? (() => sql<number>`cast(${wholeMs.nowMs()} as bigint)`),
    tellNews: news.tell,
    locksRows: database.locksRows,
  });
  // What a process that died in the middle of an import or a deletion has left.
  await sweepSessions(transactions);
  await sweepBlobs(database, blobs);
  return {
    sessions: sessionsOf(transactions, blobs),
    leases: leasesOf(transactions),
    history: historyOf(transactions, blobs),
    inbox: inboxOf(transactions),
    journal: { ...journalOf(transactions), onNews: news.onNews },
    approvals: approvalsOf(transactions),
    attachments: attachmentsOf(transactions, blobs),
    usage: ownerUsageOf(transactions),
    settings: settingsStoreOf(database),
    proxy: proxyStoreOf({ database, clock: wholeMs, anyCaseLike: textIndex.anyCaseLike }),
    write: (lease, writes) => applyWrites(transactions, lease, writes),
    value: (sessionId, name) =>
      transactions.look(sessionId, async (tables, { key }) => {
        const found = await tables
          .selectFrom('session_values')
          .select('value')
          .where('session_key', '=', key)
          .where('name', '=', name)
          .executeTakeFirst();
        return found ? (JSON.parse(found.value) as Json) : null;
      }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** The one row that there is. */
const onlyKey = 1;

function settingsStoreOf(database: Database): SettingsStore {
  return {
    read: () =>
      database.look(async (tables) => {
        const row = await tables
          .selectFrom('settings')
          .select(['revision', 'value'])
          .where('key', '=', onlyKey)
          .executeTakeFirst();
        return row ? { revision: Number(row.revision), settings: JSON.parse(row.value) as Json } : null;
      }),
    keep: (revision, settings) =>
      database.write(
        async (tx) => {
          const next = { revision: revision + 1, value: JSON.stringify(settings) };
          const isKept =
            revision === 0
              ? await tx
                  .insertInto('settings')
                  .values({ key: onlyKey, ...next })
                  .onConflict((conflict) => conflict.doNothing())
                  .executeTakeFirst()
                  .then(({ numInsertedOrUpdatedRows: rows = 0n }) => rows > 0n)
              : await tx
                  .updateTable('settings')
                  .set(next)
                  .where('key', '=', onlyKey)
                  .where('revision', '=', revision)
                  .executeTakeFirst()
                  .then(({ numUpdatedRows: rows }) => rows > 0n);
          return isKept ? { revision: next.revision, settings } : null;
        },
        { about: 'settings' },
      ),
  };
}
