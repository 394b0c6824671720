import { figuresOf, sumAll, sumOf } from '@throughline/replay';
import { resampled } from './confidence.ts';
import type { AllSums, Figures } from '@throughline/replay';
import type { Interval } from './confidence.ts';
import type { TaskResult } from '../replay/session-replays.ts';

/** The figures that are given with an interval: a sum over a sum. */
const ratios = {
  recall: ['futureUse', 'all.hit', 'all.uses'],
  far: ['futureUse', 'far.hit', 'far.uses'],
  locatorFar: ['futureUse', 'locatorFar.hit', 'locatorFar.uses'],
  meanTokens: ['budget', 'tokens', 'steps'],
  cost: ['replayCost', 'anthropic.inside.cost', 'anthropic.inside.base'],
} as const;

export type RatioName = keyof typeof ratios;
const ratioNames = Object.keys(ratios) as readonly RatioName[];

export interface ContenderRow {
  readonly contender: string;
  readonly kind: string;
  readonly figures: Figures;
  /** 95 %, sessions resampled; missing below 3 sessions. */
  readonly bySession: Readonly<Partial<Record<RatioName, Interval>>>;
  /** 95 %, steps resampled: recalls only. */
  readonly byStep: Readonly<Partial<Record<RatioName, Interval>>>;
}

/** One contender over the sessions of a set. */
export function contenderRow(contender: string, kind: string, own: readonly TaskResult[]): ContenderRow {
  const sums = own.map((one) => one.sums);
  return {
    contender,
    kind,
    figures: figuresOf(sumAll(sums)),
    bySession: sessionIntervals(sums),
    byStep: stepIntervals(own),
  };
}

function sessionIntervals(sums: readonly AllSums[]): Partial<Record<RatioName, Interval>> {
  return intervals((name) => {
    const [metric, part, whole] = ratios[name];
    const units = sums.map((one) => [sumOf(one[metric], part), sumOf(one[metric], whole)] as const);
    return resampled(units, quotient);
  });
}

function stepIntervals(own: readonly TaskResult[]): Partial<Record<RatioName, Interval>> {
  const rows = own.flatMap((one) => one.rows);
  return {
    ...named(
      'recall',
      resampled(
        rows.map(([uses, hits]) => [hits, uses] as const),
        quotient,
      ),
    ),
    ...named(
      'far',
      resampled(
        rows.map(([, , uses, hits]) => [hits, uses] as const),
        quotient,
      ),
    ),
    ...named(
      'locatorFar',
      resampled(
        rows.map(([, , , , uses, hits]) => [hits, uses] as const),
        quotient,
      ),
    ),
  };
}

function intervals(of: (name: RatioName) => Interval | undefined): Partial<Record<RatioName, Interval>> {
  return Object.assign({}, ...ratioNames.map((name) => named(name, of(name))));
}

function named(name: RatioName, interval: Interval | undefined): Partial<Record<RatioName, Interval>> {
  return interval === undefined ? {} : { [name]: interval };
}

function quotient(units: readonly (readonly [part: number, whole: number])[]): number {
  let part = 0;
  let whole = 0;
  for (const [a, b] of units) {
    part += a;
    whole += b;
  }
  return whole === 0 ? Number.NaN : part / whole;
}
