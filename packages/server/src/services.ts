import { ContextError } from '@throughline/core';
import type { Agent, AgentSession, SummariserChoice } from '@throughline/agent';
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

/** The models that may be asked for by name: those of the configuration, and those that were taken up in the settings. */
export interface Models {
  /** Names as `anthropic:claude-sonnet-5`, the default first. */
  readonly names: readonly string[];
  /** @throws {ContextError} for a name that is none of them */
  driverNamed(name: string): Promise<ModelDriver>;
  /** When the configured model writes its own summaries. @default as it is configured */
  readonly same?: SummariserChoice;
  /**
   * A model that is none of the configuration, where whoever may change settings may name one; from then on it is one of
   * `names`. @default none
   */
  readonly take?: (
    model: wire.NamedModel,
    /** `false`: it was taken before, and its server may be away just now. */
    options: { readonly mustAnswer: boolean },
  ) => Promise<TakenModel | RefusedModel>;
}

export interface TakenModel {
  readonly type: 'taken';
  readonly driver: ModelDriver;
  /** Who writes summaries: where nothing was changed, when the model of each session does, and this one for all of them. */
  readonly summarisers: Readonly<Record<'configured' | 'same' | 'own', SummariserChoice>>;
  /** What is worth knowing of it. */
  readonly note?: string;
}

export interface RefusedModel {
  readonly type: 'refused';
  readonly field: 'name' | 'baseUrl';
  readonly message: string;
}

/** The model that sessions begin with, as the list of models names it. */
export function nameOfDefault({ agent, models }: Pick<Services, 'agent' | 'models'>): string {
  return nameInList(agent.settings.get().driver.name, models) ?? models.names[0] ?? agent.facts.model;
}

/** What the list calls a model by the name of its driver. */
export function nameInList(driverName: string, { names }: Pick<Models, 'names'>): string | undefined {
  // The demo calls itself `demo:scripted`, and is `demo` in the list.
  const [short = driverName] = driverName.split(':', 1);
  return [driverName, short].find((one) => names.includes(one));
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
