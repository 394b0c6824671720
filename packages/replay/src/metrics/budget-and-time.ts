import { add, addMax, ratioOf, sumOf } from './metric.ts';
import type { Metric, Sums } from './metric.ts';

/**
 * M3, budget: overflow steps (T(C_k) + system + tools + reserve > W); overshoot = max T(C_k) / B; utilisation =
 * mean T(C_k) / B after the first trigger; and the mean of T(C_k) over all steps, which recall is compared at.
 */
export const budget: Metric = {
  start(_plan, { budgetTokens, windowTokens, outputReserveTokens, outsideTokens }) {
    const sums: Sums = {};
    return {
      sums,
      add({ sent, sentTokens, hasTriggered }) {
        if (!sent) return;
        add(sums, 'steps');
        add(sums, 'tokens', sentTokens);
        add(sums, 'budget', budgetTokens);
        addMax(sums, 'tokensMax', sentTokens);
        addMax(sums, 'overshootMax', sentTokens / budgetTokens);
        if (sentTokens > budgetTokens) add(sums, 'above');
        if (sentTokens + outsideTokens + outputReserveTokens > windowTokens) add(sums, 'overflow');
        if (!hasTriggered) return;
        add(sums, 'loadedTokens', sentTokens);
        add(sums, 'loadedBudget', budgetTokens);
      },
    };
  },
};

export function budgetFigures(sums: Readonly<Sums>) {
  return {
    meanTokens: ratioOf(sums, 'tokens', 'steps'),
    maxTokens: sumOf(sums, 'tokensMax'),
    overshoot: sumOf(sums, 'overshootMax'),
    stepsAbove: sumOf(sums, 'above'),
    overflowSteps: sumOf(sums, 'overflow'),
    utilisation: ratioOf(sums, 'loadedTokens', 'loadedBudget'),
  };
}

/** Time a contender takes for a step: mean and largest, in milliseconds. Peers in their own format, conversion apart. */
export const stepTime: Metric = {
  start() {
    const sums: Sums = {};
    return {
      sums,
      add({ elapsedMs }) {
        add(sums, 'steps');
        add(sums, 'ms', elapsedMs);
        addMax(sums, 'msMax', elapsedMs);
      },
    };
  },
};

export function stepTimeFigures(sums: Readonly<Sums>) {
  return { stepMs: ratioOf(sums, 'ms', 'steps'), slowestStepMs: sumOf(sums, 'msMax') };
}
