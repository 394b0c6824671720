import type { Policy } from '@throughline/core';
import type { BudgetInput } from '@throughline/core/types';
import type { Clock, Driver, ProxyStore } from '@throughline/ports';
import type { DialectName } from '../stream/dialect-streams.ts';

/** What of a policy a route states; window and limits of the answer come with each request and its model. */
export type RoutePolicy = Omit<Policy, 'budget'> & {
  readonly budget?: Omit<BudgetInput, 'windowTokens' | 'requestMaxTokens' | 'triggerAt'>;
};

/** One upstream, and how its conversations are kept inside the window. */
export interface ProxyRoute {
  /** Part of its address: `/proxy/<name>/…`. */
  readonly name: string;
  /** The server that answers, up to and including the version: `http://localhost:1234/v1`. */
  readonly upstream: string;
  /** Sent instead of the caller's key. @default the caller's key is passed on */
  readonly apiKey?: string;
  readonly policy: RoutePolicy;
  /** The window of its models, where the user knows better. */
  readonly windowTokens?: number;
  /** `false`: everything goes through untouched. @default true */
  readonly isManaged?: boolean;
  /** When the context cannot be managed for a reason of ours: pass the request through, or refuse it. @default 'open' */
  readonly onFailure?: 'open' | 'closed';
  /**
   * Who compacts a history for a client that asks for that (`compaction_trigger`, `/responses/compact`): the proxy, or an
   * upstream that can. @default 'proxy'
   */
  readonly compaction?: 'proxy' | 'upstream';
  /** How a caller is told of a compaction inside its answer. @default 'none' */
  readonly notices?: 'none' | 'comment' | 'content';
  /** Asks the upstream for usage in streams, and keeps it from a caller that has not. @default false */
  readonly includeUsage?: boolean;
  /**
   * Offers the model a tool that returns what was taken out of its view, and answers its calls unseen by the caller.
   * @default false
   */
  readonly recall?: boolean;
}

/** What an overflow error says, as the table of the drivers reads it. */
export interface OverflowSaid {
  readonly kind: 'tokens' | 'bytes' | 'media';
  readonly promptTokens?: number;
  readonly limitTokens?: number;
  readonly outputTokens?: number;
  /** The words by which it was recognised, where it has no name. */
  readonly words?: string;
  /** Nothing was said at all: it may be for another reason. */
  readonly isSilent?: true;
}

/** Limits that an upstream states itself. */
export interface StatedLimits {
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
  readonly maxInputTokens?: number;
}

/** Where a model is asked, with the caller's credentials or the route's. */
export interface ModelEndpoint {
  readonly dialect: DialectName;
  readonly baseUrl: string;
  readonly model: string;
  /** Headers that carry the credential, and those that the API cannot do without. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the caller asks this model, for whoever asks it in the caller's place. @default by `headers` alone */
  readonly asClient?: {
    /** All of the caller's headers that are not of one request alone; the credential is among them. */
    readonly headers: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
  };
}

/** What the proxy is handed, because it names no vendor and no machine. */
export interface ProxyServices {
  readonly clock: Clock;
  readonly readOverflow: (error: unknown) => OverflowSaid | undefined;
  readonly discoverLimits?: (
    endpoint: ModelEndpoint,
    signal?: AbortSignal,
  ) => Promise<StatedLimits | undefined>;
  /** Writes summaries, by default with the model of the conversation. Without it code does. */
  readonly summariserFor?: (endpoint: ModelEndpoint) => Driver;
  readonly log?: ProxyLog;
  /** What lasts longer than the process, and what several processes share. Without it all of it is in memory. */
  readonly store?: ProxyStore;
  /**
   * Other processes answer the same clients, in turn: what one hears, the next one has to know before its client asks it.
   * @default false: what an answer has taught is told to others behind it
   */
  readonly sharesStore?: boolean;
  /** What callers may use. Without it nobody is limited, and nothing is counted. */
  readonly quota?: CallerQuota;
}

/** The tokens of those who call. */
export interface CallerQuota {
  /** What this caller uses is counted. */
  counts(owner: string): boolean;
  /** Why this caller may ask for nothing now. */
  refusalOf(owner: string): Promise<QuotaRefusal | undefined>;
  /** Counts what was used, behind the answer. */
  used(owner: string, tokens: number): void;
  /** Resolves when all that was used is stored, or cannot be. */
  stored(): Promise<void>;
}

interface QuotaRefusal {
  readonly message: string;
  readonly details: { /** `null` where no time helps. */ readonly retryAfterMs: number | null };
}

export interface ProxyLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** What the store keeps; the conversation that was not used longest goes first. */
export interface KeepOptions {
  /** After so many days without a request a conversation goes. */
  readonly days: number;
  /** Of messages and of what was made of them. */
  readonly maxBytes: number;
}

export interface ProxyOptions {
  readonly routes: readonly ProxyRoute[];
  /** What the store keeps. @default conversations that were used in the last 30 days, 1 GB at most */
  readonly keep?: KeepOptions;
  /** Largest body of a request, as it came and decoded, and of an answer that is no stream. @default 32 000 000 */
  readonly maxBodyBytes?: number;
  /** How long the head of an answer is held until something is said. @default 15 000 */
  readonly holdHeadMs?: number;
  /** Between two comments on a stream on which nothing else happens. @default 10 000 */
  readonly pingMs?: number;
}
