import { proxiedSessions } from './proxied-source.ts';
import { storedSessions } from './session-source.ts';
import type { Caller, Proxied } from '../services.ts';
import type { KnownSession, SessionSource } from './session-source.ts';
import type { SessionStore } from '@throughline/ports';

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
