import type { Budget } from './budget.ts';

/** How much of the newest tool output pruning leaves alone, in the estimator's own tokens. */
export interface KeptOutput {
  readonly turns: number;
  /** Beyond that of the newest turns. */
  readonly newest: number;
  /** Both together. */
  readonly most: number;
}

/**
 * The budget in the estimator's own tokens, for the stages: what the messages alone may cost, after the fixed part of
 * the request (system text and tools) has been taken off the ceilings.
 */
export interface Measures {
  readonly usable: number;
  readonly trigger: number;
  readonly target: number;
  readonly result: number;
  readonly exchange: number;
  /** Output that pruning leaves alone. */
  readonly keep: KeptOutput;
  readonly leastGain: number;
  readonly verbatim: number;
  readonly growth: number;
  /** Least a summary gets, whatever else stays in the view; the index of names in it; its prose. */
  readonly summaryLeast: number;
  readonly summaryFactIndex: number;
  readonly summaryProse: number;
  /** The user's words in it. */
  readonly userMessages: number;
}

// 15 % of the trigger, 20 000 at most, word for word, and a seventh of that for the ends of older ones. However much is
// fixed: the words of the user give way last of all.
const userMessageShare = 0.1725;
const maxUserMessageTokens = 23_000;

// What is fixed may take the rest without anything else having to become smaller.
const usualRoom = 0.8;
// Where nothing fits, the parts still have a size to be named with.
const leastShare = 0.1;

/** What a pass works with, in the provider's tokens. */
interface Room {
  /** Where it stops. */
  readonly targetTokens: number;
  /** What every request holds, whatever is compacted: system text, tools and system messages. */
  readonly fixedTokens: number;
}

/**
 * Shares are shares of the trigger, as long as what is fixed leaves most of it to the messages; of less room they are as
 * much less. Else a summary and the newest messages fill all there is, and every step makes room anew.
 */
export function measuresOf(
  budget: Budget,
  tokenScale: TokenScale,
  { targetTokens, fixedTokens }: Room,
): Measures {
  const ceiling = (tokens: number): number => Math.floor(toEstimate(tokenScale, tokens));
  const trigger = ceiling(budget.triggerTokens);
  const room = 1 - fixedTokens / budget.triggerTokens;
  const crowding = Math.min(1, Math.max(leastShare, room / usualRoom));
  const whole = (tokens: number): number => Math.floor(tokens / tokenScale.slope);
  const share = (tokens: number): number => Math.floor((tokens / tokenScale.slope) * crowding);
  return {
    usable: ceiling(budget.usableTokens),
    trigger,
    target: ceiling(targetTokens),
    result: share(budget.resultTokens),
    exchange: share(budget.exchangeTokens),
    keep: {
      turns: budget.keepTurns,
      newest: whole(budget.keepTokens),
      most: whole(budget.mostKeptTokens),
    },
    leastGain: whole(budget.leastGainTokens),
    verbatim: share(budget.verbatimTokens),
    growth: share(budget.growthTokens),
    summaryLeast: share(budget.triggerTokens * 0.25),
    // 5 % of a trigger of 20k, 3 % of one of 40k.
    summaryFactIndex: share(Math.min(budget.triggerTokens * 0.05, 750 + budget.triggerTokens * 0.0125)),
    summaryProse: share(budget.summaryTokens),
    userMessages: whole(Math.min(maxUserMessageTokens, budget.triggerTokens * userMessageShare)),
  };
}

/**
 * Translates the estimator's tokens into the provider's: actual = offset + slope · estimate. The offset holds what
 * is sent beside the messages, system text and tool schemas above all.
 */
export interface TokenScale {
  readonly offsetTokens: number;
  readonly slope: number;
  /**
   * No estimate stands for less than this share of it. Needed where the provider counted less than the slope says: the
   * offset is negative then, and what is left after a compaction must not come out as nothing. @default 0
   */
  readonly leastSlope?: number;
}

export function toActual(
  { offsetTokens, slope, leastSlope = 0 }: TokenScale,
  estimateTokens: number,
): number {
  return Math.max(offsetTokens + slope * estimateTokens, leastSlope * estimateTokens);
}

/** Estimated tokens of messages that may be sent so that the request measures `actualTokens`. May be negative. */
export function toEstimate(
  { offsetTokens, slope, leastSlope = 0 }: TokenScale,
  actualTokens: number,
): number {
  const estimate = (actualTokens - offsetTokens) / slope;
  return leastSlope > 0 ? Math.min(estimate, actualTokens / leastSlope) : estimate;
}
