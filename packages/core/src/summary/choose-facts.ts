import { factCost } from './fact-cost.ts';
import { findFacts } from './find-facts.ts';
import { visitFactParts } from './fact-parts.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { FactCost } from './fact-cost.ts';

export interface ChooseOptions {
  /** Most the chosen facts may cost, joined by spaces. */
  readonly maxTokens: number;
  readonly estimator: Estimator;
  /** Facts that stand in here are not worth saying again. */
  readonly known?: string;
  /** @default counted anew */
  readonly cost?: FactCost;
  /** None of the facts stands inside another: they were chosen before. @default false */
  readonly areDistinct?: boolean;
}

// After so many facts in a row that do not fit, the rest will not either.
const mostMisses = 24;

/**
 * Takes facts in the given order while they fit. A fact that is a chosen one or stands inside it, between separators
 * as `config.ts` in `src/config.ts`, is left out; so is one that is named in `known`.
 */
export function chooseFacts<Fact extends { readonly text: string }>(
  facts: readonly Fact[],
  { maxTokens, estimator, known = '', cost = factCost(estimator), areDistinct = false }: ChooseOptions,
): Fact[] {
  const chosen: Fact[] = [];
  const said = new Set<string>();
  findFacts(known, (start, end) => visitFactParts(known.slice(start, end), (part) => said.add(part)));
  let spent = 0;
  let misses = 0;
  for (const fact of facts) {
    if (said.has(withoutDiffPrefix(fact.text))) continue;
    const tokens = cost(fact.text);
    if (spent + tokens > maxTokens) {
      if (++misses > mostMisses) break;
      continue;
    }
    spent += tokens;
    if (!areDistinct) visitFactParts(fact.text, (part) => said.add(part));
    chosen.push(fact);
  }
  if (maxTokens === Infinity) return chosen;
  while (chosen.length > 0 && estimator.count(joinFacts(chosen)) > maxTokens)
    chosen.length -= Math.ceil(chosen.length / 16);
  return chosen;
}

/** `a/src/x.ts` and `b/src/x.ts` of a diff say nothing beside `src/x.ts`. */
function withoutDiffPrefix(text: string): string {
  return text.startsWith('a/') || text.startsWith('b/') ? text.slice(2) : text;
}

/** One line of facts. */
export function joinFacts(facts: readonly { readonly text: string }[]): string {
  return facts.map(({ text }) => text).join(' ');
}
