import { contextUsageOf } from '@throughline/agent';
import { storedConversations } from '@throughline/proxy/stored';
import type { Caller, Proxied } from '@throughline/server';
import type { Json } from '@throughline/core/codec';
import type { Proxy } from '@throughline/proxy';
import type { ProxyStore } from '@throughline/ports';
import type { StoredConversations } from '@throughline/proxy/stored';

/** What was said through proxies, and what the one beside this server, where there is one, knows of its routes. */
export function openProxied(store: ProxyStore, proxy?: Proxy): Proxied {
  const policyFor = proxy && ((spoken: Parameters<Proxy['policyFor']>[0]) => proxy.policyFor(spoken));
  return proxiedBy(storedConversations({ store, ...(policyFor && { policyFor }) }), proxy);
}

function proxiedBy(stored: StoredConversations, proxy: Proxy | undefined): Proxied {
  return {
    routes({ owner }: Caller) {
      const items = (proxy?.routes() ?? []).map(({ traffic, ...report }) => ({
        ...report,
        // The numbers are those of all.
        traffic: owner === '' ? traffic : null,
      }));
      return Promise.resolve({ items });
    },
    list: ({ owner }, query) => stored.list({ owner }, query),
    search: ({ owner }, query) => stored.search({ owner }, query),
    read: ({ owner }, id) => stored.read({ owner }, id),
    messages: ({ owner }, id, query) => stored.messages({ owner }, id, query),
    async compactions({ owner }, id) {
      const passes = await stored.compactions({ owner }, id);
      // A state is plain JSON by its contract.
      return passes.map((pass) => ({ ...pass, state: pass.state as unknown as Json }));
    },
    history: ({ owner }, id) => stored.history({ owner }, id),
    context: async ({ owner }, id) => contextUsageOf(await stored.measured({ owner }, id)),
    searchIn: ({ owner }, id, query, limit) => stored.searchIn({ owner }, id, query, limit),
    recall: ({ owner }, id, recallId) => stored.recall({ owner }, id, recallId),
    delete: ({ owner }, id) => stored.delete({ owner }, id),
  };
}
