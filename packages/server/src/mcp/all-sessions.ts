import { storedSessions } from './session-source.ts';
import { ContextError } from '@throughline/core';
import type { Caller, Proxied } from '../services.ts';
import type { FoundText, KnownSession, SessionSource } from './session-source.ts';
import type { SessionStore } from '@throughline/ports';
import type { FoundProxyConversation, Page, ProxyConversation } from '@throughline/protocol/types';

/** The caller's sessions of a store, and what clients of a proxy have said. */
export function openSessions(store: SessionStore, proxied: Proxied, caller: Caller): SessionSource {
  return joined([storedSessions(store, caller), proxiedSessions(proxied, caller)]);
}

/** Several sources as one: what was used last comes first, wherever it is from. */
function joined(sources: readonly SessionSource[]): SessionSource {
  const of = async (sessionId: string): Promise<SessionSource | undefined> => {
    for (const source of sources) if (await source.find(sessionId)) return source;
    return undefined;
  };
  return {
    list: async (limit) =>
      (await Promise.all(sources.map((source) => source.list(limit)))).flat().toSorted(later).slice(0, limit),
    find: async (sessionId) => await (await of(sessionId))?.find(sessionId),
    async last(folder) {
      const found = await Promise.all(sources.map((source) => source.last(folder)));
      return found.filter((one) => one !== undefined).toSorted(later)[0];
    },
    async search(query, { sessionId, limit }) {
      if (sessionId !== undefined)
        return (await (await of(sessionId))?.search(query, { sessionId, limit })) ?? [];
      const found = await Promise.all(sources.map((source) => source.search(query, { limit })));
      return found.flat().toSorted(later).slice(0, limit);
    },
    recall: async (sessionId, recallId) => await (await of(sessionId))?.recall(sessionId, recallId),
    summaries: async (sessionId) => (await (await of(sessionId))?.summaries(sessionId)) ?? [],
  };
}

type Used = Partial<Pick<KnownSession, 'updatedAtMs'>>;

function later({ updatedAtMs: one = 0 }: Used, { updatedAtMs: other = 0 }: Used): number {
  return other - one;
}

/** Conversations used last, among which the one is looked for that is meant. */
const mostLookedAt = 50;
/** So many pages are read in a search through all of them. */
const mostPages = 20;

/** What clients of a proxy have said, as sessions. Somebody else's are not there. */
export function proxiedSessions(proxied: Proxied, caller: Caller): SessionSource {
  return {
    async list(limit) {
      return (await proxied.list(caller, { limit })).items.map(knownOf);
    },
    async find(id) {
      try {
        return knownOf(await proxied.read(caller, id));
      } catch (error) {
        if (ContextError.is(error, 'not-found')) return undefined;
        throw error;
      }
    },
    // Clients ask for titles and the like beside: where something was taken out of view, that is what is meant.
    async last() {
      const { items } = await proxied.list(caller, { limit: mostLookedAt });
      const [newest] = items;
      const last = items.find(({ compactionCount }) => compactionCount > 0) ?? newest;
      return last && knownOf(last);
    },
    async search(query, { sessionId, limit }) {
      if (sessionId === undefined) return await searchAll(proxied, caller, { query, limit });
      const hits = await proxied.searchIn(caller, sessionId, query, limit);
      return hits.map((hit) => ({ ...hit, sessionId }));
    },
    recall: (id, recallId) => proxied.recall(caller, id, recallId),
    async summaries(id) {
      const compactions = await proxied.compactions(caller, id);
      const summaries = compactions.flatMap(({ summary }) => (summary === null ? [] : [summary]));
      return summaries.slice(-1);
    },
  };
}

function knownOf(conversation: ProxyConversation): KnownSession {
  const { id, title, route, messageCount, compactionCount, updatedAtMs } = conversation;
  return { id, title, folder: '', route, messageCount, compactionCount, updatedAtMs };
}

async function searchAll(
  proxied: Proxied,
  caller: Caller,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<readonly FoundText[]> {
  const found: FoundText[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < mostPages && cursor !== null && found.length < limit; pages += 1) {
    const page: Page<FoundProxyConversation> = await proxied.search(caller, {
      query,
      hitsPerConversation: limit,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { conversation, hits } of page.items) {
      const { id: sessionId, updatedAtMs } = conversation;
      found.push(...hits.map((hit) => ({ ...hit, sessionId, updatedAtMs })));
    }
    cursor = page.next;
  }
  return found.slice(0, limit);
}
