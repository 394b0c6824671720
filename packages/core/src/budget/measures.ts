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
  /** Least a summary gets, whatever else stays in the view; the index of names in it; its prose. */
  readonly summaryLeast: number;
  readonly summaryIndex: number;
  readonly summaryProse: number;
  /** The user's words in it. */
  readonly userMessages: number;
}

const maxUserMessageTokens = 20_000;

// System text and tools may take the rest without anything else having to become smaller.
const usualRoom = 0.8;
// Of what they leave: so much that a truncated group fits on top.
const crowdedTarget = 0.8;
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
    // Where system and tools take much the target is measured above them.
    low: Math.max(
      ceiling(budget.lowTokens),
      Math.floor((trigger * crowdedTarget * budget.lowTokens) / budget.triggerTokens),
    ),
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
    summaryLeast: share(budget.triggerTokens * 0.25),
    // 8 % of a trigger of 20k, 5 % of one of 40k.
    summaryIndex: share(Math.min(budget.triggerTokens * 0.08, 1_200 + budget.triggerTokens * 0.02)),
    summaryProse: share(budget.summaryTokens),
    userMessages: share(Math.min(maxUserMessageTokens, budget.triggerTokens * 0.15)),
  };
}
