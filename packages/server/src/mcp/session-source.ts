import { checkpointsInForce } from '../checkpoints-in-force.ts';
import { ContextError } from '@throughline/core';
import type { Caller } from '../services.ts';
import type { Page, RecalledText, SearchHit, SessionInfo, SessionStore } from '@throughline/ports';

/** A session, as much as one needs to choose it. */
export interface KnownSession {
  readonly id: string;
  readonly title: string | null;
  readonly folder: string;
  readonly messageCount: number;
  readonly compactionCount: number;
  readonly updatedAtMs: number;
}

export interface FoundText extends SearchHit {
  readonly sessionId: string;
}

/** Where sessions come from: those of a store, and whatever else keeps conversations. */
export interface SessionSource {
  /** The one used last comes first. */
  list(query: { readonly cursor?: string; readonly limit: number }): Promise<Page<KnownSession>>;
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

/** In a search without a session so many are looked through. */
const mostSearched = 200;
const pageSize = 50;

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
    async list(query) {
      const { items, next } = await store.sessions.list({ ...query, owner });
      return { items: items.filter(({ messageCount }) => messageCount > 0), next };
    },
    last: async (folder) => (await newest(folder)) ?? (await newest()),
    async search(query, { sessionId, limit }) {
      const found: FoundText[] = [];
      const ids = sessionId === undefined ? idsOf(store, owner) : [sessionId];
      for await (const id of ids) {
        const hits = await store.history.search(id, query, limit - found.length);
        found.push(...hits.map((hit) => ({ ...hit, sessionId: id })));
        if (found.length >= limit) break;
      }
      return found;
    },
    recall: (sessionId, recallId) => store.history.recall(sessionId, recallId),
    async summaries(sessionId) {
      const { headCheckpoint } = await store.sessions.read(sessionId);
      const checkpoints = checkpointsInForce(await store.history.checkpoints(sessionId), headCheckpoint);
      return checkpoints.flatMap(({ summary }) => (summary === null ? [] : [summary]));
    },
  };
}

async function* idsOf(store: SessionStore, owner: string): AsyncGenerator<string, void, undefined> {
  let cursor: string | null | undefined;
  for (let seen = 0; seen < mostSearched && cursor !== null; seen += pageSize) {
    const page: Page<SessionInfo> = await store.sessions.list({
      owner,
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { id, messageCount } of page.items) if (messageCount > 0) yield id;
    cursor = page.next;
  }
}
