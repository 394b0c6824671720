import { sweepBlobs } from '../messages/attachments.ts';
import { forkSession } from './fork-session.ts';
import { exportSession } from './export-session.ts';
import { importSession } from './import-session.ts';
import { setValue } from '../runs/apply-write.ts';
import { infoOf, listSessions } from './list-sessions.ts';
import { searchSessions } from './search-sessions.ts';
import { insertSession, sweepSession } from './session-rows.ts';
import { visible } from '../kit/index-terms.ts';
import type { BlobStore, Sessions } from '@throughline/ports';
import type { Tx } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';

export function sessionsOf(transactions: SessionTransactions, blobs: BlobStore): Sessions {
  const { around } = transactions;
  return {
    create: (session = {}) =>
      transactions.database.write(async (tx) => infoOf(await insertSession(tx, around, session), around)),
    read: (sessionId) => transactions.look(sessionId, async (_tx, row) => infoOf(row, around)),
    list: (query = {}) =>
      transactions.database.read(async (tx) => {
        const { items, next } = await listSessions(tx, query);
        return { items: items.map((row) => infoOf(row, around)), next };
      }),
    search: (query) => searchSessions(transactions, blobs, query),
    rename: (sessionId, title, events = [], { inPlaceOf, value } = {}) =>
      transactions.change(sessionId, async (work) => {
        if (inPlaceOf !== undefined && work.row.title !== inPlaceOf) return [];
        work.set({ title });
        if (value) await setValue(work, value);
        return work.appendEvents(events);
      }),
    async delete(sessionId) {
      const key = await transactions.database.write((tx) => hideSession(tx, sessionId), { about: sessionId });
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

async function hideSession(tx: Tx, sessionId: string): Promise<number | undefined> {
  const hidden = await tx
    .updateTable('sessions')
    .set({ is_hidden: 1, lease_owner: null })
    .where('id', '=', sessionId)
    .where('is_hidden', '=', visible)
    .returning('key')
    .executeTakeFirst();
  return hidden?.key;
}
