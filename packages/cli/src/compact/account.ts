import { describeRepairs } from './describe-repairs.ts';
import type { Compaction } from './compaction.ts';
import type { Repair } from '@throughline/core';

/** What the engine measured of a pass, and what was weighed of the messages themselves. */
export interface Measured {
  /** Of the engine, which counts the error results that calls without a result get. */
  readonly tokens: Compaction['tokens'];
  readonly ladderSteps: Compaction['ladderSteps'];
  readonly byCategory: Compaction['byCategory'];
  /** What the messages need before they can be sent, as they were and as they are now. */
  readonly repairsBefore: readonly Repair[];
  readonly repairsAfter: readonly Repair[];
}

/**
 * The tokens of a pass from what was read to what would be sent. Where something was repaired, that is a step of its
 * own and comes first; what each step freed leads from one number to the other.
 */
export function account(measured: Measured): Pick<Compaction, 'tokens' | 'ladderSteps'> {
  const { tokens, ladderSteps, byCategory, repairsBefore, repairsAfter } = measured;
  const isAsItWas = repairsBefore.length === 0 && repairsAfter.length === 0;
  if (isAsItWas) return { tokens, ladderSteps };
  const before = sumOf(byCategory.map(({ tokens: cost }) => cost.before));
  const after = sumOf(byCategory.map(({ tokens: cost }) => cost.after));
  const freedTokens = before - after - sumOf(ladderSteps.map((ladderStep) => ladderStep.freedTokens));
  const repairs = repairsAfter.length > 0 ? repairsAfter : repairsBefore;
  const what = describeRepairs(repairs);
  let left = before;
  const steps = [{ ladderStep: 'repair', what, changes: repairs.length, freedTokens }, ...ladderSteps];
  return {
    tokens: { before, after },
    ladderSteps: steps.map((step) => ({ ...step, afterTokens: (left -= step.freedTokens) })),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
