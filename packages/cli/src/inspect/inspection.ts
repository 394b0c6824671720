/** The shape of one file's entry in `throughline inspect --json`. Fields are added, never renamed or taken away. */
export interface Inspection {
  readonly file: string;
  /** Name of the file's format, as `--format` takes it. */
  readonly format: string;
  readonly session: SessionFacts;
  /** Everything else in the file: `--session` takes the number. */
  readonly otherSessions: readonly SessionFacts[];
  /** Compactions that the tool itself recorded in this file. */
  readonly recordedCompactions: number;
  /** How tokens were counted, and whether the names below are estimates. */
  readonly estimator: string;
  readonly tokens: TokenTotals;
  readonly window: WindowFacts;
  /** What would be sent next; `null` where that is all that was said, and no provider has counted. */
  readonly nextRequest: NextRequest | null;
  /** `tokens.total` ÷ `window.usableTokens` × 100. */
  readonly percentOfUsable: number;
  /** Adds up to `tokens.total`. */
  readonly byRole: readonly RoleShare[];
  /** Largest first. */
  readonly byTool: readonly ToolShare[];
  /** In order. */
  readonly turns: readonly TurnShare[];
  /** Largest first. */
  readonly largest: readonly LargeItem[];
  /** Largest first. */
  readonly duplicates: readonly Duplicate[];
  readonly usage: UsageComparison | null;
  readonly wouldFree: { readonly prune: WouldFree; readonly compact: WouldFree };
  /** What could not be read or understood, with its place. */
  readonly notes: readonly { readonly line?: number; readonly note: string }[];
}

export interface SessionFacts {
  /** Position in the file, counted from 1. */
  readonly number: number;
  readonly id: string;
  readonly kind: 'active' | 'archived' | 'branch' | 'subagent';
  readonly title: string | null;
  readonly model: string | null;
  readonly messages: number;
  /** User requests, each with all that follows it. */
  readonly turns: number;
}

interface TokenTotals {
  readonly total: number;
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
}

interface NextRequest {
  /** By the same estimate as all other numbers; less than `tokens.total` where Throughline has compacted the session. */
  readonly tokens: number;
  /** As the provider would count it, with what the file does not hold; `null` where it has counted nothing. */
  readonly countedTokens: number | null;
  readonly messages: number;
  /** Throughline has compacted or pruned what was said. */
  readonly isCompacted: boolean;
}

interface WindowFacts {
  readonly tokens: number;
  readonly usableTokens: number;
  /** Where the window comes from: `option`, `model`, `log`, `recorded model` or `assumed`. */
  readonly source: string;
  /** The model whose window it is. */
  readonly model: string | null;
}

export interface RoleShare {
  readonly role: 'system' | 'user' | 'assistant' | 'tool' | 'framing';
  readonly tokens: number;
  readonly kinds: readonly KindShare[];
}

export interface KindShare {
  readonly kind: string;
  readonly count: number;
  readonly tokens: number;
}

export interface ToolShare {
  readonly name: string;
  readonly calls: number;
  readonly callTokens: number;
  readonly results: number;
  readonly resultTokens: number;
}

export interface TurnShare {
  /** Counted from 1; 0 is what stands before the first request. */
  readonly number: number;
  readonly recallId: string;
  readonly messages: number;
  readonly tokens: number;
  /** How the request begins. */
  readonly request: string;
}

export interface LargeItem {
  readonly recallId: string;
  readonly tokens: number;
  readonly kind: string;
  /** What it is: the tool and its target, or how the text begins. */
  readonly what: string;
}

export interface Duplicate {
  readonly tool: string;
  readonly what: string;
  /** How often the same thing was asked for. */
  readonly times: number;
  /** Tokens of the results of all but the last time. */
  readonly repeatedTokens: number;
  readonly recallIds: readonly string[];
}

export interface UsageComparison {
  readonly calls: number;
  /** The log holds the whole prompt: the numbers can be compared as they are. */
  readonly holdsWholePrompt: boolean;
  readonly last: {
    readonly recordedTokens: number;
    readonly cacheReadTokens: number;
    readonly estimatedTokens: number;
    /** The calibrated estimate of the same request. */
    readonly calibratedTokens: number;
  };
  /** Relative errors of the estimate per call, as fractions; after calibration without the calls it learned from. */
  readonly before: ErrorSpread | null;
  readonly after: ErrorSpread | null;
  readonly calibratedOn: number;
  /** What every request held beside the file's own content, by the calibration; 0 where the log is whole. */
  readonly notInLogTokens: number;
}

export interface ErrorSpread {
  readonly calls: number;
  readonly p50: number;
  readonly p90: number;
}

export interface WouldFree {
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly freedTokens: number;
  /** What was done, as sentences. */
  readonly steps: readonly string[];
  /** Set where the result would still not fit. */
  readonly cannotFit: boolean;
}
