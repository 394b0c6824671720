import { checkpointsInForce } from '../checkpoints-in-force.ts';
import { ContextError } from '@throughline/core';
import type { Caller } from '../services.ts';
import type {
  FoundSession,
  Page,
  RecalledText,
  SearchHit,
  SessionInfo,
  SessionStore,
} from '@throughline/ports';

/** A session, as much as one needs to choose it. */
export interface KnownSession {
  readonly id: string;
  readonly title: string | null;
  readonly folder: string;
  readonly messageCount: number;
  readonly compactionCount: number;
  readonly updatedAtMs: number;
  /** The proxy through which a client has had it; absent for sessions of an agent. */
  readonly route?: string;
}

export interface FoundText extends SearchHit {
  readonly sessionId: string;
  /** When its session was changed last, where several were searched. */
  readonly updatedAtMs?: number;
}

/** Where sessions come from: those of a store, and whatever else keeps conversations. */
export interface SessionSource {
  /** The one used last comes first. */
  list(limit: number): Promise<readonly KnownSession[]>;
  find(sessionId: string): Promise<KnownSession | undefined>;
  /** The session that was used last, of this folder where there is one; `undefined` where there is none at all. */
  last(folder: string): Promise<KnownSession | undefined>;
  /** Newest first, in one session or in those used last. */
  search(
    query: string,
    asked: { readonly sessionId?: string; readonly limit: number },
  ): Promise<readonly FoundText[]>;
  recall(sessionId: string, recallId: string): Promise<RecalledText | undefined>;
  /** Summaries in force, oldest first. */
  summaries(sessionId: string): Promise<readonly string[]>;
}

const pageSize = 50;
/** So many pages are read in a search without a session. */
const mostPages = 20;

/** The sessions of a store that are the caller's. Somebody else's are not there. */
export function storedSessions(store: SessionStore, { owner }: Caller): SessionSource {
  const isOurs = (info: SessionInfo): boolean => info.owner === owner;
  const find = async (sessionId: string): Promise<SessionInfo | undefined> => {
    try {
      const info = await store.sessions.read(sessionId);
      return isOurs(info) ? info : undefined;
    } catch (error) {
      if (ContextError.is(error, 'not-found')) return undefined;
      throw error;
    }
  };
  const newest = async (folder?: string): Promise<SessionInfo | undefined> => {
    const query = { owner, limit: pageSize, ...(folder !== undefined && { folder }) };
    return (await store.sessions.list(query)).items.find(({ messageCount }) => messageCount > 0);
  };
  return {
    find,
    async list(limit) {
      const { items } = await store.sessions.list({ limit, owner });
      return items.filter(({ messageCount }) => messageCount > 0);
    },
    last: async (folder) => (await newest(folder)) ?? (await newest()),
    async search(query, { sessionId, limit }) {
      if (sessionId === undefined) return await searchAll(store, { owner, query, limit });
      const hits = await store.history.search(sessionId, query, limit);
      return hits.map((hit) => ({ ...hit, sessionId }));
    },
    recall: (sessionId, recallId) => store.history.recall(sessionId, recallId),
    async summaries(sessionId) {
      const { headCheckpoint } = await store.sessions.read(sessionId);
      const checkpoints = checkpointsInForce(await store.history.checkpoints(sessionId), headCheckpoint);
      return checkpoints.flatMap(({ summary }) => (summary === null ? [] : [summary]));
    },
  };
}

/** In the sessions used last, page by page until there is enough. */
async function searchAll(
  store: SessionStore,
  { owner, query, limit }: { readonly owner: string; readonly query: string; readonly limit: number },
): Promise<readonly FoundText[]> {
  const found: FoundText[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < mostPages && cursor !== null && found.length < limit; pages += 1) {
    const page: Page<FoundSession> = await store.sessions.search({
      owner,
      query,
      limit: pageSize,
      hitsPerSession: limit,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { session, hits } of page.items)
      found.push(...hits.map((hit) => ({ ...hit, sessionId: session.id, updatedAtMs: session.updatedAtMs })));
    cursor = page.next;
  }
  return found.slice(0, limit);
}
