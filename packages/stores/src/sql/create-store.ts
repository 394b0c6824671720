import { applyWrites } from './apply-write.ts';
import { approvalsOf } from './approvals.ts';
import { attachmentsOf, sweepBlobs } from './attachments.ts';
import { SessionTransactions } from './session-transactions.ts';
import { historyOf } from './history.ts';
import { inboxOf } from './inbox.ts';
import { journalOf } from './journal.ts';
import { KnownChanges } from './known-changes.ts';
import { leasesOf } from './leases.ts';
import { sessionsOf } from './sessions.ts';
import { sweepSessions } from './sweep-sessions.ts';
import type { BlobStore, Clock, IdSource, SessionStore } from '@throughline/ports';
import type { Database } from './database.ts';
import type { Json } from '@throughline/core';
import type { Presence } from './session-transaction.ts';
import type { TextIndex } from './text-index.ts';

export interface StoreParts {
  readonly database: Database;
  readonly textIndex: TextIndex;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** @default nobody can tell, and a lease is good until it expires */
  readonly presence?: Presence;
}

const nobodyKnows: Presence = { name: null, isDead: () => false };

/** A session store over an open database. */
export async function createStore({
  database,
  textIndex,
  blobs,
  clock,
  ids,
  presence = nobodyKnows,
}: StoreParts): Promise<SessionStore> {
  const wholeMs = { nowMs: () => Math.round(clock.nowMs()) };
  const knownChanges = new KnownChanges();
  const transactions = new SessionTransactions(database, {
    clock: wholeMs,
    ids,
    textIndex,
    knownChanges,
    presence,
  });
  // What a process that died in the middle of an import or a deletion has left.
  await sweepSessions(transactions);
  await sweepBlobs(database, blobs);
  return {
    sessions: sessionsOf(transactions, blobs),
    leases: leasesOf(transactions),
    history: historyOf(transactions, blobs),
    inbox: inboxOf(transactions),
    journal: journalOf(transactions),
    approvals: approvalsOf(transactions),
    attachments: attachmentsOf(transactions, blobs),
    write: (lease, writes) => applyWrites(transactions, lease, writes),
    value: (sessionId, name) =>
      transactions.read(sessionId, async (tx, { key }) => {
        const found = await tx
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
