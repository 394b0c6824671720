import { sweepBlobs } from '../messages/attachments.ts';
import { forkSession } from './fork-session.ts';
import { exportSession } from './export-session.ts';
import { importSession } from './import-session.ts';
import { setValue } from '../runs/apply-write.ts';
import { infoOf, listSessions } from './list-sessions.ts';
import { cursorOf } from '../kit/cursors.ts';
import { insertSession, sweepSession } from './session-rows.ts';
import { visible } from '../kit/index-terms.ts';
import { keysOf } from '../kit/database.ts';
import { Searcher } from '../messages/search.ts';
import type { BlobStore, FoundSession, Page, Sessions, SessionSearch } from '@throughline/ports';
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

const pageOfFound = 20;
const hitsOfOne = 3;
/** Sessions that are looked through for one page. */
const mostSessions = 500;
/** Texts up to which it is known of all sessions whether the index finds something in them. */
const mostTexts = 5_000;

/** The sessions in which a text stands; see `Sessions.search`. */
async function searchSessions(
  transactions: SessionTransactions,
  blobs: BlobStore,
  { query, hitsPerSession = hitsOfOne, limit = pageOfFound, cursor, ...others }: SessionSearch,
): Promise<Page<FoundSession>> {
  if (query === '' || limit < 1 || hitsPerSession < 1) return { items: [], next: null };
  const listed = { ...others, limit: mostSessions, ...(cursor === undefined ? {} : { cursor }) };
  const { page, promising } = await transactions.database.read(async (tx) => ({
    page: await listSessions(tx, listed),
    promising: await promisingSessions(tx, transactions, query),
  }));
  const { items: rows, next } = page;
  const searcher = new Searcher(transactions, blobs);
  const items: FoundSession[] = [];
  for (const [index, row] of rows.entries()) {
    if (promising?.has(row.key) === false) continue;
    const hits = await searcher.findIn(row.key, { query, limit: hitsPerSession });
    if (hits.length === 0) continue;
    items.push({ session: infoOf(row, transactions.around), hits });
    const isLast = index === rows.length - 1 && next === null;
    if (items.length === limit) return { items, next: isLast ? null : cursorOf(row.updated_at_ms, row.key) };
  }
  return { items, next };
}

/** The only sessions in which it can stand; `undefined` where the index has no answer, or too many. */
async function promisingSessions(
  tx: Tx,
  { around: { textIndex } }: SessionTransactions,
  query: string,
): Promise<ReadonlySet<number> | undefined> {
  const range = { first: 0, end: Number.MAX_SAFE_INTEGER, limit: mostTexts };
  const keys = await textIndex.find(tx, query, range);
  if (!keys || keys.length >= mostTexts) return undefined;
  return new Set(keys.map(sessionOf));
}

/** The session whose texts have this key. */
function sessionOf(textKey: number): number {
  return Math.floor(textKey / keysOf({ key: 1 }).first);
}
