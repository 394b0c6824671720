import { artifactLedger, ledgerFigures } from './artifact-ledger.ts';
import { budget, budgetFigures, stepTime, stepTimeFigures } from './budget-and-time.ts';
import { coverage, coverageFigures } from './coverage.ts';
import { determinism, determinismFigures } from './determinism.ts';
import { errorFigures, unresolvedErrors } from './unresolved-error.ts';
import { futureUse, futureUseFigures } from './future-use.ts';
import { instructionSurvival, survivalFigures } from './instruction-survival.ts';
import { prefixFigures, prefixStability } from './prefix-stability.ts';
import { replayCost, replayCostFigures } from './replay-cost.ts';
import { reversibility, reversibilityFigures } from './reversibility.ts';
import { validity, validityFigures } from './validity.ts';
import { addSums } from './metric.ts';
import type { Metric, Sums } from './metric.ts';

/** Every metric of the replay, under the name its sums have in the report. */
export const metrics = {
  validity,
  futureUse,
  budget,
  replayCost,
  prefixStability,
  instructionSurvival,
  artifactLedger,
  unresolvedErrors,
  coverage,
  reversibility,
  determinism,
  stepTime,
} as const satisfies Record<string, Metric>;

type MetricName = keyof typeof metrics;
const metricNames = Object.keys(metrics) as readonly MetricName[];

/** What all metrics added up over one session, or over a set of them. */
export type AllSums = Readonly<Record<MetricName, Sums>>;

export function noSums(): AllSums {
  return Object.fromEntries(metricNames.map((name) => [name, {}])) as AllSums;
}

/** The sums of several sessions together. */
export function sumAll(all: Iterable<AllSums>): AllSums {
  const total = noSums();
  for (const sums of all) for (const name of metricNames) addSums(total[name], sums[name]);
  return total;
}

/** The figures of the report. Shares lie in [0, 1]; not a number where there was nothing to measure. */
export function figuresOf(sums: AllSums) {
  return {
    ...validityFigures(sums.validity),
    ...futureUseFigures(sums.futureUse),
    ...budgetFigures(sums.budget),
    ...replayCostFigures(sums.replayCost),
    ...prefixFigures(sums.prefixStability),
    ...survivalFigures(sums.instructionSurvival),
    ...ledgerFigures(sums.artifactLedger),
    ...errorFigures(sums.unresolvedErrors),
    ...coverageFigures(sums.coverage),
    ...reversibilityFigures(sums.reversibility),
    ...determinismFigures(sums.determinism),
    ...stepTimeFigures(sums.stepTime),
  };
}

export type Figures = ReturnType<typeof figuresOf>;
