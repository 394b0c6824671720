import type { Compaction } from './compaction.ts';
import type { Json } from './json.ts';

/** A compaction with all that the engine has stored of it. */
export interface CompactionRecord extends Compaction {
  /** The checkpoint as the engine made it, its changes and those they replaced among it: what it reads, it checks. */
  readonly checkpoint: Json;
}

/** A tool as the model is told it. */
export interface ToldTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly inputSchema: { readonly [key: string]: unknown };
}

/** US dollars for a million tokens, and how the provider caches. */
export interface ModelPricing {
  readonly prices: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly cache: { readonly kind: 'automatic' | 'marked' | 'none'; readonly lifetimeMs: number };
}

/** What every request of a session begins with, and what its passes are made with. */
export interface SessionSetup {
  readonly provider: string;
  readonly model: string;
  /** Name of the format that the model's server takes. */
  readonly codec: string;
  readonly system: string;
  readonly tools: readonly ToldTool[];
  /** Tools that are not told to the model, because they would take too much of its window. */
  readonly untoldTools: readonly string[];
  /** Messages that are never compacted, pruned or truncated, by their places in the history. */
  readonly pins: readonly number[];
  readonly strategy: string;
  /** When it acts by itself. */
  readonly trigger: 'overflow' | 'threshold' | 'manual';
  /** `false`: nothing is compacted unless the user asks. */
  readonly isAutomatic: boolean;
  /** The budget as the engine takes it. */
  readonly budget: { readonly windowTokens: number; readonly [name: string]: number };
  readonly windowTokens: number;
  /** What is usable of the window: reserve and safety are taken off. */
  readonly usableTokens: number;
  /** Above it the context is compacted. */
  readonly triggerTokens: number;
  /** `null` where no prices are known. */
  readonly pricing: ModelPricing | null;
  readonly hasRecall: boolean;
  /** What the engine remembers, the changes in force among it: what it reads, it checks. */
  readonly state: Json;
}
