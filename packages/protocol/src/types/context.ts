/** What the tokens of a request are spent on. Estimated and calibrated; they add up to `currentTokens`. */
export interface UsageByCategory {
  readonly system: number;
  readonly tools: number;
  /** What users said. */
  readonly user: number;
  /** What the model said, its calls and reasoning included. */
  readonly assistant: number;
  readonly toolResults: number;
  readonly media: number;
  readonly summary: number;
}

/** How full the context is, by its share of what is usable: `warning` above 80 %, `critical` above 95 %. */
export type UsageLevel = 'ok' | 'warning' | 'critical';

/** How full the context is. Tokens of the whole next request, as far as it is known. */
export interface ContextUsage {
  readonly currentTokens: number;
  /** What is usable of the window: reserve and safety are taken off. */
  readonly limit: number;
  readonly windowTokens: number;
  /** Above it the context is compacted. */
  readonly triggerTokens: number;
  readonly percentUsed: number;
  /** `warning` above 80 %, `critical` above 95 %. */
  readonly level: UsageLevel;
  readonly byCategory: UsageByCategory;
  /** Part of it was not counted by the provider yet. */
  readonly estimated: boolean;
}

/** One piece of the next request, with its share of the measured tokens. */
export interface ContextItem {
  readonly type: 'system' | 'tool' | 'message' | 'summary';
  /** Name of a tool, of the tools in a message, or what a summary is. */
  readonly name: string;
  /** Its place in the history; `null` for what stands in none. */
  readonly ordinal: number | null;
  readonly role: 'system' | 'user' | 'assistant' | 'tool' | null;
  /** The first words of its text. */
  readonly excerpt: string;
  readonly tokens: number;
  readonly isPinned: boolean;
  /** Something of it is pruned or truncated. */
  readonly isEdited: boolean;
}

/** The largest pieces of the next request, and what the others come to. */
export interface ContextItems {
  readonly items: readonly ContextItem[];
  readonly others: { readonly count: number; readonly tokens: number };
}

/** The next request, in the format of the model's server. */
export interface NextRequest {
  readonly system: string;
  readonly messages: readonly unknown[];
}
