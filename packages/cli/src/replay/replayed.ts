import type { ModelPrices } from '@throughline/core/types';

/** The shape of one file's entry in `throughline replay --json`. Fields are added, never renamed or taken away. */
export interface Replayed {
  readonly file: string;
  /** Name of the file's format, as `--format` takes it. */
  readonly format: string;
  readonly session: {
    readonly number: number;
    readonly id: string;
    readonly model: string | null;
    readonly messages: number;
  };
  /** Compactions that the tool itself recorded in this file; what lies before the last is replayed with `--whole`. */
  readonly recordedCompactions: number;
  readonly estimator: string;
  readonly window: {
    readonly tokens: number;
    /** Most tokens of a prompt: the window less what is kept free for the answer. */
    readonly promptTokens: number;
    /** Where the window comes from: `option`, `model`, `log`, `recorded model` or `assumed`. */
    readonly source: string;
    readonly model: string | null;
  };
  readonly prices: ReplayPrices;
  /** System text and tools that the file holds beside the messages: part of every request here. */
  readonly outsideTokens: number;
  /** What every request held and the file does not: counted nowhere here. */
  readonly notInLog: {
    readonly what: readonly ('system prompt' | 'tools')[];
    /** By the recorded usage; `null` where that does not say. */
    readonly tokens: number | null;
  };
  /** Responses of the recording that had something before them. */
  readonly requests: number;
  /** Recall was looked up at so many of them, evenly spread. */
  readonly measuredRequests: number;
  /** No management first. */
  readonly strategies: readonly StrategyReplay[];
  readonly verdict: Verdict;
  /** What could not be read or understood, with its place. */
  readonly notes: readonly { readonly line?: number; readonly note: string }[];
}

/** What every cost in this file's entry is counted in. */
export interface ReplayPrices {
  /** `input-tokens`: the price is not known, and every cost is given in uncached input tokens. */
  readonly unit: 'usd' | 'input-tokens';
  readonly model: string | null;
  /** Per million tokens, in US dollars; relative to an uncached input token where the price is not known. */
  readonly perMillion: ModelPrices;
  /** An unused prefix is forgotten after this time; `null` where nothing is cached. */
  readonly cacheLifetimeMs: number | null;
  /** Longer prompts cost more than is counted; `null` where there is no such limit. */
  readonly pricedUpToTokens: number | null;
  /** Share of the requests for which the recording says how long the pause before them was. */
  readonly knownPauses: number;
}

/** One row of the table. */
export interface StrategyReplay {
  /** `none`: no management. */
  readonly strategy: string;
  /** Who wrote its summaries: `code` (no model), `stand-in` for a model, or `nobody`. */
  readonly summariesBy: 'code' | 'stand-in' | 'nobody';
  /** Who decided what could go, where the strategy leaves that to a model. */
  readonly decisionsBy: 'stand-in' | null;
  readonly requests: number;
  /** Requests of more than `window.promptTokens`, those that nothing could make fit included. */
  readonly overflows: number;
  /** How many of them are requests for which the engine found nothing that fits. */
  readonly cannotFit: number;
  /** Tokens of a request, system text and tools of the file included. */
  readonly tokens: { readonly largest: number; readonly mean: number };
  /** Steps that changed what had been sent before: prune batches and summaries. */
  readonly compactions: number;
  /** Requests that do not begin with the request before. */
  readonly prefixBreaks: number;
  /** In `prices.unit`. */
  readonly cost: {
    readonly total: number;
    /** The part of it for summaries and decisions of a model. */
    readonly asked: number;
    /** ÷ the cost of no management; `null` where that is 0. */
    readonly ofNone: number | null;
  };
  /** Share of the tokens of all prompts that came from the cache. */
  readonly cachedShare: number;
  readonly recall: { readonly names: Recall; readonly places: Recall };
  /** What the engine says of its compactions, as the mean of one; `null` where there was none. */
  readonly compaction: CompactionCost | null;
  /** By request; `null` where nothing fits. */
  readonly contextTokens: readonly (number | null)[];
}

/**
 * Names (paths, URLs, ids, identifiers, numbers) that the agent used again in a call although they had last been said
 * more than 20 messages before. Places: those of them in an argument of at most 300 characters.
 */
export interface Recall {
  readonly used: number;
  /** Still in front of the agent. */
  readonly kept: number;
  /** In front of it, or at the beginning of what one look-up by a recall id in front of it gives. */
  readonly recallable: number;
}

/** In `prices.unit`. */
export interface CompactionCost {
  /** What the next request costs more, because its prefix is another one. */
  readonly rewrite: number;
  readonly summariser: number;
  /** What every later request costs less, while the cache is warm. */
  readonly savedPerRequest: number;
  /** Requests after which it has paid for itself; `null` where it never does. */
  readonly paidBackAfter: number | null;
}

/** Names of strategies. Only those with the fewest overflows are compared. */
interface Verdict {
  readonly cheapest: string;
  /** The strategy that keeps most, among those that manage; `null` where nothing was to be kept, or nothing managed. */
  readonly keptMost: string | null;
  /** The cheapest of those that keep at most two in a hundred names less than the one that keeps most. */
  readonly best: string | null;
  /** The session never outgrows the window: no strategy had anything to do. */
  readonly isIdle: boolean;
}

/** The name that no management has among the strategies. */
export const noStrategy = 'none';

/** What stands for a strategy in tables and sentences. */
export function labelOf(strategy: string): string {
  return strategy === noStrategy ? 'no management' : strategy;
}
