import { toEstimate } from './gauge.ts';
import type { Budget } from './budget.ts';
import type { Gauge } from './gauge.ts';

/** How much of the newest tool output clearing leaves alone, in the estimator's own tokens. */
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
  readonly low: number;
  readonly result: number;
  readonly group: number;
  /** Output that clearing leaves alone. */
  readonly keep: KeptOutput;
  readonly leastGain: number;
  readonly verbatim: number;
  readonly growth: number;
  /** Whole summary message, its prose, and the user's words in it. */
  readonly summaryMessage: number;
  /** The index behind it, and both together. */
  readonly summaryIndex: number;
  readonly summaryTotal: number;
  readonly summaryProse: number;
  readonly userMessages: number;
}

// Replay at 20k and 40k: far recall grows with the index up to a fifth of the trigger, and hardly beyond.
const maxIndexTokens = 8_000;
const maxUserMessageTokens = 20_000;

// System text and tools may take the rest without anything else having to become smaller.
const usualRoom = 0.8;
const leastLowShare = 0.25;
// Where nothing fits, the parts still have a size to be named with.
const leastShare = 0.1;

/**
 * Shares are shares of the trigger, as long as system text and tools leave most of it to the messages; of less room
 * they are as much less. Else a summary and the newest messages fill all there is, and every step makes room anew.
 */
export function measuresOf(budget: Budget, gauge: Gauge): Measures {
  const ceiling = (tokens: number): number => Math.floor(toEstimate(gauge, tokens));
  const trigger = ceiling(budget.triggerTokens);
  const room = (trigger * gauge.slope) / budget.triggerTokens;
  const crowding = Math.min(1, Math.max(leastShare, room / usualRoom));
  const whole = (tokens: number): number => Math.floor(tokens / gauge.slope);
  const share = (tokens: number): number => Math.floor((tokens / gauge.slope) * crowding);
  return {
    usable: ceiling(budget.usableTokens),
    trigger,
    // Where system and tools alone are near the low mark it cannot be reached: a part of what is left is the mark.
    low: Math.max(ceiling(budget.lowTokens), Math.floor(trigger * leastLowShare)),
    result: share(budget.resultTokens),
    group: share(budget.groupTokens),
    keep: {
      turns: budget.keepTurns,
      newest: whole(budget.keepTokens),
      most: whole(budget.mostKeptTokens),
    },
    leastGain: whole(budget.leastGainTokens),
    verbatim: share(budget.verbatimTokens),
    growth: share(budget.growthTokens),
    summaryMessage: share(budget.triggerTokens * 0.25),
    summaryIndex: share(Math.min(maxIndexTokens, budget.triggerTokens * 0.2)),
    summaryTotal: share(Math.min(budget.triggerTokens * 0.25 + maxIndexTokens, budget.triggerTokens * 0.4)),
    summaryProse: share(budget.summaryTokens),
    userMessages: share(Math.min(maxUserMessageTokens, budget.triggerTokens * 0.15)),
  };
}
