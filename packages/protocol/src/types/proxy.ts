import type { Json } from './json.ts';
import type { SearchHit } from './history.ts';

/** The APIs whose conversations a proxy manages. */
export type ProxyDialect = 'chat' | 'messages' | 'responses';

/** A proxy of the configuration, and what went through it since the server began. */
export interface ProxyRoute {
  /** Part of its address: `/proxy/<name>/…`. */
  readonly name: string;
  /** The server that answers; without a password or a key. */
  readonly upstream: string;
  readonly strategy: string;
  /** The window that is configured; `null` where none is. */
  readonly windowTokens: number | null;
  readonly onFailure: 'open' | 'closed';
  readonly compaction: 'proxy' | 'upstream';
  /** Models that were asked for. */
  readonly models: readonly ProxyModel[];
  /** `null` for owners with a name: the numbers are those of all. */
  readonly traffic: ProxyTraffic | null;
}

/** The window in which conversations with a model are kept, and who says so. */
export interface ProxyModel {
  readonly model: string;
  readonly windowTokens: number;
  /** `learned`: from an error of the upstream; `discovered`: it was asked; `default`: nobody knows. */
  readonly source: 'user' | 'learned' | 'discovered' | 'catalogue' | 'default';
  /** Most tokens of a prompt, where the upstream takes less than the window; `null` where it does not. */
  readonly maxInputTokens: number | null;
}

export interface ProxyTraffic {
  readonly sinceMs: number;
  /** Questions to a model. */
  readonly requests: number;
  /** How many of them went out with a changed context. */
  readonly changed: number;
  /** How often the upstream called one too large. */
  readonly overflows: number;
  /** How often an answer that had reached the end of the window was continued. */
  readonly restarts: number;
  /** How often a model has recalled something through the tool of the route. */
  readonly recalls: number;
  /** The APIs in which they came. */
  readonly dialects: readonly ProxyDialect[];
}

export interface ProxyRouteList {
  readonly items: readonly ProxyRoute[];
}

/** A conversation that a client has had through a proxy. */
export interface ProxyConversation {
  readonly id: string;
  readonly route: string;
  readonly model: string;
  /** The first that the user said, shortened. */
  readonly title: string;
  /** What the client calls its session; several conversations may have the same. */
  readonly label: string | null;
  /** The conversation that it parted from; that one may be deleted since. */
  readonly parentId: string | null;
  readonly messageCount: number;
  readonly requestCount: number;
  readonly compactionCount: number;
  /** What the upstream said of the last request of which it said something. */
  readonly lastUsage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A pass that has changed what the model sees. */
export interface ProxyCompaction {
  /** Number of messages of the history that it was made from. */
  readonly messageCount: number;
  /** `truncated`, `pruned` or `compacted`; `replayed` where what an earlier one made was kept. */
  readonly action: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly windowTokens: number;
  readonly checkpointId: string | null;
  /** Round of the summary that it made; `null` where it made none. */
  readonly round: number | null;
  readonly summary: string | null;
  /** Messages from `first` up to, and without, `end`, that the summary stands for. */
  readonly range: { readonly first: number; readonly end: number } | null;
  /** Those that were not there before it. */
  readonly changes: readonly ProxyChange[];
  readonly createdAtMs: number;
  /** It was made in the conversation that this one parted from. */
  readonly isInherited: boolean;
  /** Its changes are those of the next request. */
  readonly isInForce: boolean;
}

export interface ProxyChange {
  readonly type:
    | 'result-truncated'
    | 'result-pruned'
    | 'arguments-pruned'
    | 'text-truncated'
    | 'media-dropped'
    | 'reasoning-dropped'
    | 'range-compacted'
    | 'range-dropped';
  readonly reason: string;
  /** What was there can be recalled by it. */
  readonly recallId: string;
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** A pass with what it takes to make the requests behind it anew. */
export interface ProxyCompactionRecord extends ProxyCompaction {
  /** The engine's state behind it: all changes of a request, those of earlier passes among them. */
  readonly state: Json;
}

export interface ProxyChangeList {
  /** Oldest first. */
  readonly items: readonly ProxyCompactionRecord[];
}

export interface ProxyCompactionList {
  /** Oldest first. */
  readonly items: readonly ProxyCompaction[];
}

/** A history as its client wrote it. */
export interface ProxyHistory {
  /** That of the API in which it came. */
  readonly format: 'openai-chat' | 'openai-responses' | 'anthropic';
  /** Oldest first; `input` of Responses is items. */
  readonly messages: readonly Json[];
  /** When each came for the first time. */
  readonly timesMs: readonly number[];
  /** What the client sent last beside its messages; `null` where that is not known. */
  readonly instructions: { readonly system: string; readonly tools: readonly Json[] } | null;
}

/** A conversation in which a text was found. */
export interface FoundProxyConversation {
  readonly conversation: ProxyConversation;
  /** Newest first. */
  readonly hits: readonly SearchHit[];
}
