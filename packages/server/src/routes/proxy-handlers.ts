import { ContextError } from '@throughline/core';
import type { Around, Handlers } from './handler.ts';
import type { Proxied } from '../services.ts';
import type { ProxyCompaction, ProxyCompactionRecord } from '@throughline/protocol/types';

export type ProxyHandlers = Pick<
  Handlers,
  | 'listProxyRoutes'
  | 'listProxyConversations'
  | 'searchProxyConversations'
  | 'getProxyConversation'
  | 'deleteProxyConversation'
  | 'listProxyMessages'
  | 'listProxyCompactions'
  | 'listProxyChanges'
  | 'getProxyHistory'
  | 'getProxyContext'
  | 'searchProxyConversation'
  | 'recallFromProxy'
>;

/** What proxies beside the agent remember; where there is nothing the lists are empty. */
export const proxyHandlers: ProxyHandlers = {
  async listProxyRoutes(_, { services, caller }) {
    const list = await (await services.proxied?.())?.routes(caller);
    return { status: 200, body: list ?? { items: [] } };
  },

  async listProxyConversations({ query }, { services, caller }) {
    const page = await (await services.proxied?.())?.list(caller, query);
    return { status: 200, body: page ?? { items: [], next: null } };
  },

  async searchProxyConversations({ query }, { services, caller }) {
    const page = await (await services.proxied?.())?.search(caller, query);
    return { status: 200, body: page ?? { items: [], next: null } };
  },

  async getProxyConversation({ params: { id } }, around) {
    return { status: 200, body: await (await proxiedOf(around, id)).read(around.caller, id) };
  },

  async deleteProxyConversation({ params: { id } }, around) {
    if (!(await (await proxiedOf(around, id)).delete(around.caller, id))) throw noConversation(id);
    return { status: 200, body: { ok: true } };
  },

  async listProxyMessages({ params: { id }, query }, around) {
    return { status: 200, body: await (await proxiedOf(around, id)).messages(around.caller, id, query) };
  },

  async listProxyCompactions({ params: { id } }, around) {
    const passes = await (await proxiedOf(around, id)).compactions(around.caller, id);
    return { status: 200, body: { items: passes.map(withoutState) } };
  },

  async listProxyChanges({ params: { id } }, around) {
    return {
      status: 200,
      body: { items: await (await proxiedOf(around, id)).compactions(around.caller, id) },
    };
  },

  async getProxyHistory({ params: { id } }, around) {
    return { status: 200, body: await (await proxiedOf(around, id)).history(around.caller, id) };
  },

  async getProxyContext({ params: { id } }, around) {
    return { status: 200, body: await (await proxiedOf(around, id)).context(around.caller, id) };
  },

  async searchProxyConversation({ params: { id }, query: { query, limit } }, around) {
    const items = await (await proxiedOf(around, id)).searchIn(around.caller, id, query, limit);
    return { status: 200, body: { items } };
  },

  async recallFromProxy({ params: { id, recallId } }, around) {
    const text = await (await proxiedOf(around, id)).recall(around.caller, id, recallId);
    if (text) return { status: 200, body: text };
    throw new ContextError('not-found', `Nothing of this conversation has the recall id ${recallId}.`, {
      kind: 'recall id',
      id: recallId,
      known: [],
    });
  },
};

/** @throws {ContextError} `not-found` where no proxy remembers anything */
async function proxiedOf({ services }: Around, id: string): Promise<Proxied> {
  const proxied = await services.proxied?.();
  if (!proxied) throw noConversation(id);
  return proxied;
}

function noConversation(id: string): ContextError<'not-found'> {
  return new ContextError('not-found', `There is no conversation ${id}.`, {
    kind: 'conversation',
    id,
    known: [],
  });
}

/** The state of each pass holds all changes before it: who only lists them does not pay for that. */
function withoutState({ state, ...pass }: ProxyCompactionRecord): ProxyCompaction {
  void state;
  return pass;
}
