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
