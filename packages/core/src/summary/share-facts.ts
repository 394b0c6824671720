import { chooseFacts } from './choose-facts.ts';
import { factCost } from './fact-cost.ts';
import type { AskedFacts } from './asked-facts.ts';
import type { CarriedFact } from '../transcript/summary-record.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { FactCost } from './fact-cost.ts';

export interface ShareOptions {
  /** The round from which on facts come first; all others share what is kept for earlier rounds. */
  readonly round: number;
  readonly maxTokens: number;
  readonly estimator: Estimator;
  /** Facts that stand in here are not worth saying again. @default '' */
  readonly known?: string;
  /** @default counted anew */
  readonly cost?: FactCost;
  /** Says which texts may be among the newest facts. @default any */
  readonly asked?: AskedFacts;
  /** None of the facts stands inside another: they were chosen before. @default false */
  readonly areDistinct?: boolean;
}

/** What all earlier rounds keep of the room together, when they have that much. */
const olderShare = 0.4;

/**
 * The facts that fit, most useful first inside each round, newest round first. Earlier rounds share 40 % of the room
 * equally, so that what round 1 found survives round 10.
 */
export function shareFacts(facts: readonly CarriedFact[], options: ShareOptions): CarriedFact[] {
  const { newest, older } = byRound(facts, options.round);
  return shareRounds(newest, older, options);
}

/** The same for facts that are told apart already; of the newest no more are taken than it needs to fill the room. */
export function shareRounds(
  newest: Iterable<CarriedFact>,
  older: readonly (readonly CarriedFact[])[],
  options: ShareOptions,
): CarriedFact[] {
  const {
    round,
    maxTokens,
    estimator,
    known = '',
    cost = factCost(estimator),
    asked,
    areDistinct = false,
  } = options;
  const costOf = (some: readonly CarriedFact[]): number =>
    some.reduce((sum, { text }) => sum + cost(text), 0);
  const reserved = Math.min(maxTokens * olderShare, costOf(older.flat()));
  const chosen = chooseFacts(newest, {
    maxTokens: maxTokens - reserved,
    estimator,
    known,
    cost,
    asked,
    areDistinct,
  });
  if (older.length === 0) return chosen;
  const kept = [chosen];
  let left = maxTokens - costOf(chosen);
  // Small rounds first, so that what they leave over goes to the large ones.
  const bySize = older.map((some) => ({ some, tokens: costOf(some) })).sort((a, b) => a.tokens - b.tokens);
  bySize.forEach(({ some }, index) => {
    const fitting = chooseFacts(some, {
      maxTokens: left / (bySize.length - index),
      estimator,
      known,
      cost,
      areDistinct,
    });
    left -= costOf(fitting);
    kept.push(fitting);
  });
  return kept.flat().sort((a, b) => (b.round ?? round) - (a.round ?? round));
}

export function byRound(
  facts: readonly CarriedFact[],
  newestRound: number,
): { newest: CarriedFact[]; older: CarriedFact[][] } {
  const newest: CarriedFact[] = [];
  const older = new Map<number, CarriedFact[]>();
  for (const fact of facts) {
    const { round = newestRound } = fact;
    const same = round >= newestRound ? newest : older.get(round);
    if (same) same.push(fact);
    else older.set(round, [fact]);
  }
  return { newest, older: [...older.values()] };
}
