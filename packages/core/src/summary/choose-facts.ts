import { AskedFacts } from './asked-facts.ts';
import { diffPrefixOf } from './fact-parts.ts';
import { factCost } from './fact-cost.ts';
import { findFacts } from './find-facts.ts';
import { SaidFacts } from './said-facts.ts';
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
  /** Says which texts may be among the facts. @default any */
  readonly asked?: AskedFacts | undefined;
  /** None of the facts stands inside another: they were chosen before. @default false */
  readonly areDistinct?: boolean;
}

/** Nothing is added to it. One always lives: what the JIT compiler knows of them goes with the last. */
const nothingSaid = new SaidFacts();

// After so many facts in a row that do not fit, the rest will not either.
const mostMisses = 24;

/**
 * Takes facts in the given order while they fit. A fact that is a chosen one or stands inside it, between separators
 * as `config.ts` in `src/config.ts`, is left out; so is one that is named in `known`.
 */
export function chooseFacts<Fact extends { readonly text: string }>(
  facts: Iterable<Fact>,
  { maxTokens, estimator, known = '', cost = factCost(estimator), asked, areDistinct = false }: ChooseOptions,
): Fact[] {
  const chosen: Fact[] = [];
  const said =
    areDistinct && known === ''
      ? nothingSaid
      : new SaidFacts(asked ?? (areDistinct ? undefined : askedOf(facts)));
  findFacts(known, (start, end) => said.add(known, start, end));
  let spent = 0;
  let misses = 0;
  for (const fact of facts) {
    if (said.has(fact.text, diffPrefixOf(fact.text))) continue;
    const tokens = cost(fact.text);
    if (spent + tokens > maxTokens) {
      if (++misses > mostMisses) break;
      continue;
    }
    spent += tokens;
    if (!areDistinct) said.add(fact.text, 0, fact.text.length);
    chosen.push(fact);
  }
  if (maxTokens === Infinity) return chosen;
  while (chosen.length > 0 && estimator.count(joinFacts(chosen)) > maxTokens)
    chosen.length -= Math.ceil(chosen.length / 16);
  return chosen;
}

/** `undefined`, for anything, where the facts are only made while they are asked for. */
function askedOf(facts: Iterable<{ readonly text: string }>): AskedFacts | undefined {
  if (!Array.isArray(facts)) return undefined;
  const asked = new AskedFacts();
  for (const { text } of facts as readonly { readonly text: string }[])
    asked.addText(text, diffPrefixOf(text));
  return asked;
}

/** One line of facts. */
export function joinFacts(facts: readonly { readonly text: string }[]): string {
  return facts.map(textOf).join(' ');
}

function textOf({ text }: { readonly text: string }): string {
  return text;
}
