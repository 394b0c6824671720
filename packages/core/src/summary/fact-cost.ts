import type { Estimator } from '../tokens/estimator.ts';

// A space between two facts, where the estimator counts it apart.
const separatorTokens = 0.25;

/** What a fact costs in a line of facts. */
export type FactCost = (text: string) => number;

/** Counts every fact once, however often it is weighed: the same ones are shared out several times in a fold. */
export function factCost(estimator: Estimator): FactCost {
  const known = new Map<string, number>();
  return (text) => {
    const counted = known.get(text);
    if (counted !== undefined) return counted;
    const tokens = estimator.count(text) + separatorTokens;
    known.set(text, tokens);
    return tokens;
  };
}
