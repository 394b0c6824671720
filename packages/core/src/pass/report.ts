import type { MeasuredPart } from '../errors/context-error.ts';
import type { AnswerUsage } from '../summary/model-request.ts';
import type { RecallId } from '../transcript/entry.ts';

export type LadderStepName = 'truncate' | 'review' | 'prune' | 'compact' | 'fit';

/** What one ladder step did. Tokens of the whole request, as measured. */
export interface LadderStepReport {
  readonly ladderStep: LadderStepName;
  /** Who wrote a summary, what a review came to, which part of `fit` it was; empty where there is nothing to add. */
  readonly detail: string;
  readonly changes: number;
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** What asking a model came to, over all questions of one pass, also of one that was cancelled. */
export interface SummariserWork {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What of it a question behind the messages of the session came to, read from the cache at the session's prices. */
  readonly cachedPrefixUsage?: AnswerUsage;
  /** Why code wrote where a model was asked, or was to be asked. */
  readonly fallback: string | null;
  /** What became of the decisions a model was asked for: `used`, or why not; `null` where none were asked for. */
  readonly review: string | null;
  /** Lines of a summary that were left out, because they name what is neither in the history nor made of what is. */
  readonly inventedLines?: number;
  /** What the answers have shown of the model that was asked. */
  readonly learned?: LearnedScale;
}

export const noSummariser: SummariserWork = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  fallback: null,
  review: null,
};

/** What a pass costs and saves, in US dollars, by the catalogue or the prices handed in. */
export interface PassCost {
  /** What the next request costs more than it would have, because its prefix is another one. May be negative. */
  readonly rewriteUsd: number;
  readonly summariserUsd: number;
  /** What every later request costs less, while the cache is warm. */
  readonly savedPerStepUsd: number;
  /** Requests after which it has paid for itself; 0 where it saves at once, `null` where it never does. */
  readonly breakEvenSteps: number | null;
}

/** What happened in one step and why. All tokens are measured tokens of the whole request, system and tools included. */
export interface Report {
  readonly wasPruned: boolean;
  readonly wasCompacted: boolean;
  readonly tokens: {
    readonly before: number;
    readonly afterPrune: number;
    readonly afterCompaction: number;
    readonly final: number;
  };
  readonly windowTokens: number;
  readonly usableTokens: number;
  readonly triggerTokens: number;
  readonly targetTokens: number;
  /** `final` ÷ usable × 100. */
  readonly percent: number;
  readonly outputsPruned: number;
  readonly messagesCompacted: number;
  readonly toolsTouched: readonly string[];
  readonly ladderSteps: readonly LadderStepReport[];
  /** The last ladder step that did something. */
  readonly reached: LadderStepName | null;
  /** The provider's count of the last request, and what the estimator said of it. */
  readonly usage: { readonly actualTokens: number; readonly estimateTokens: number } | null;
  readonly irreducible: { readonly tokens: number; readonly parts: readonly MeasuredPart[] };
  /** Calls of the summariser, their usage, and why code wrote where a model was asked. */
  readonly summariser: SummariserWork;
  /** What became of a summary written ahead of need: put in its place, or left because its range has changed. */
  readonly background: 'adopted' | 'discarded' | null;
  /** What the pass costs and saves; `null` where nothing was done, or where the policy knows no prices. */
  readonly cost: PassCost | null;
  /** Changes that were left out because the history they were made for is gone. */
  readonly skippedChanges: number;
  /** System text or tools are not those of the last request: the provider's cache of the prefix is lost. */
  readonly hasPrefixChanged: boolean;
  /** A sentence each: what could not be reached, and why. */
  readonly warnings: readonly string[];
  readonly pinned: readonly RecallId[];
}

export type CompactionReason =
  | 'overflow'
  | 'threshold'
  | 'preflight'
  | 'provider-error'
  | 'model-switch'
  | 'background'
  | 'manual';

/** Why the ladder runs, and what the user said to it. */
export interface PassRequest {
  readonly reason: CompactionReason;
  readonly focus?: string;
  /** Ladder steps that compact run although nothing presses: the user asked. */
  readonly isForced: boolean;
  /** No model is asked: a summary was written ahead of need, and nobody waits for a second one. */
  readonly isModelFree: boolean;
  /** The trigger that the limits are taken from. */
  readonly triggerTokens: number;
  /** Most the request may measure where its bytes press: less than what is usable. */
  readonly usableTokens?: number;
}

/** What answers, refusals above all, have shown of the model that writes summaries and decides in a review. Plain JSON. */
export interface LearnedScale {
  /** Its tokens per token of the estimate, `null` before it has counted a request. */
  readonly slope: number | null;
  /** Its window as an error has named it. */
  readonly windowTokens: number | null;
}
