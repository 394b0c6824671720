import { ContextError } from '@throughline/core';
import type { Agent, AgentSession } from '@throughline/agent';
import type * as wire from '@throughline/protocol/types';
import type { Clock, ModelDriver } from '@throughline/ports';

/** What every way into the server works with. The composition root makes it; nothing here names a vendor or a database. */
export interface Services {
  readonly agent: Agent;
  readonly models: Models;
  readonly clock: Clock;
  /** What proxies beside the agent remember, loaded when somebody asks. @default nothing */
  readonly proxied?: () => Promise<Proxied>;
}

/** Conversations that clients had through proxies. `not-found` for one that is not the caller's, as for one that is not there. */
export interface Proxied {
  /** Whoever has a name learns no numbers of others. */
  routes(caller: Caller): Promise<wire.ProxyRouteList>;
  list(
    caller: Caller,
    query: PageQuery & { readonly route?: string },
  ): Promise<wire.Page<wire.ProxyConversation>>;
  search(
    caller: Caller,
    query: PageQuery & { readonly query: string; readonly hitsPerConversation?: number },
  ): Promise<wire.Page<wire.FoundProxyConversation>>;
  read(caller: Caller, id: string): Promise<wire.ProxyConversation>;
  messages(caller: Caller, id: string, query: PageQuery): Promise<wire.Page<wire.HistoryMessage>>;
  /** With what it takes to make the requests anew. */
  compactions(caller: Caller, id: string): Promise<readonly wire.ProxyCompactionRecord[]>;
  /** The whole of it, as the client wrote it. */
  history(caller: Caller, id: string): Promise<wire.ProxyHistory>;
  context(caller: Caller, id: string): Promise<wire.ContextUsage>;
  searchIn(caller: Caller, id: string, query: string, limit?: number): Promise<readonly wire.SearchHit[]>;
  recall(caller: Caller, id: string, recallId: string): Promise<wire.RecalledText | undefined>;
  /** `false` where there is none. */
  delete(caller: Caller, id: string): Promise<boolean>;
}

interface PageQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

/** The models that may be asked for by name: those of the configuration. No request brings an address of its own. */
export interface Models {
  /** Names as `anthropic:claude-sonnet-5`, the default first. */
  readonly names: readonly string[];
  /** @throws {ContextError} for a name that is none of them */
  driverNamed(name: string): Promise<ModelDriver>;
}

/** Who asks. */
export interface Caller {
  /** Whose sessions are seen and made; empty where there is only one user. */
  readonly owner: string;
}

/**
 * The session, where it is the caller's. Somebody else's is not told from one that is not there.
 *
 * @throws {ContextError} `not-found`
 */
export function openSession(
  { agent }: Pick<Services, 'agent'>,
  { owner }: Caller,
  sessionId: string,
): Promise<AgentSession> {
  return agent.open(sessionId, { owner });
}

/** What a search for something that may not be there comes to. */
export function ignoreMissing(error: unknown): undefined {
  if (!ContextError.is(error, 'not-found')) throw error;
}
