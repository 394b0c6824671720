/** What the tokens of a request are spent on. They add up to `currentTokens`. */
export interface UsageByCategory {
  readonly system: number;
  readonly tools: number;
  readonly user: number;
  readonly assistant: number;
  readonly toolResults: number;
  readonly media: number;
  readonly summary: number;
}

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
  readonly level: 'ok' | 'warning' | 'critical';
  readonly byCategory: UsageByCategory;
  /** Part of it was not counted by the provider yet. */
  readonly estimated: boolean;
}

/** The next request, in the format of the model's server. */
export interface NextRequest {
  readonly system: string;
  readonly messages: readonly unknown[];
}
