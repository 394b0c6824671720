import { chooseFacts } from './choose-facts.ts';
import { FactCollector } from './fact-collector.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { visitTexts } from '../transcript/entry-text.ts';
import type { CarriedFact } from '../transcript/summary-record.ts';
import type { Entry } from '../transcript/entry.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';
import type { TextSource } from '../transcript/entry-text.ts';

/** Most the facts of a record may cost, beside half of the summary message. */
const maxFactTokens = 6_000;
const messageShare = 0.5;
/** What all earlier rounds keep of it together, when they have that much. */
const olderShare = 0.4;
const longArgumentChars = 300;
/** A fact costs a token and more; some are left out because others say them. */
const candidatesPerToken = 2;

/**
 * The facts of all texts that are folded, and those of earlier rounds, within a bound: most useful first inside each
 * round; earlier rounds share 40 % of the bound equally, so that what round 1 found survives round 10.
 */
export function carryFacts(source: FoldSource, limits: SummaryLimits, known: string): CarriedFact[] {
  const round = (source.previous?.round ?? 0) + 1;
  const strata = new Map<number, CarriedFact[]>();
  const collector = collect(source.entries);
  const carried = new Set<string>();
  for (const fact of source.previous?.facts ?? []) {
    const again = collector.find(fact.text);
    carried.add(fact.text);
    const merged = again
      ? { ...fact, recallId: messageRecallId(again.ordinal), mentions: fact.mentions + again.mentions }
      : fact;
    push(strata, Math.min(fact.round ?? round - 1, round - 1), merged);
  }
  const maxTokens = Math.min(maxFactTokens, limits.messageTokens * messageShare);
  const newest = collector
    .ranked(Math.ceil(maxTokens * candidatesPerToken) + carried.size)
    .filter(({ text }) => !carried.has(text))
    .map(({ text, mentions, ordinal }) => ({ text, mentions, recallId: messageRecallId(ordinal), round }));
  return share(strata, newest, { maxTokens, limits, known });
}

function push(strata: Map<number, CarriedFact[]>, round: number, fact: CarriedFact): void {
  const stratum = strata.get(round);
  if (stratum) stratum.push({ ...fact, round });
  else strata.set(round, [{ ...fact, round }]);
}

interface Share {
  readonly maxTokens: number;
  readonly limits: SummaryLimits;
  readonly known: string;
}

function share(
  strata: ReadonlyMap<number, CarriedFact[]>,
  newest: CarriedFact[],
  options: Share,
): CarriedFact[] {
  const { maxTokens, limits, known } = options;
  const { estimator } = limits;
  const cost = (facts: readonly CarriedFact[]): number =>
    facts.reduce((sum, { text }) => sum + estimator.count(text) + 0.25, 0);
  const older = [...strata.values()];
  const reserved = Math.min(maxTokens * olderShare, cost(older.flat()));
  const chosen = chooseFacts(newest, { maxTokens: maxTokens - reserved, estimator, known });
  let left = maxTokens - cost(chosen);
  // Small strata first, so that what they leave over goes to the large ones.
  const bySize = older.map((facts) => ({ facts, tokens: cost(facts) })).sort((a, b) => a.tokens - b.tokens);
  const kept: CarriedFact[] = [...chosen];
  bySize.forEach(({ facts }, index) => {
    const stratum = chooseFacts(facts, { maxTokens: left / (bySize.length - index), estimator, known });
    left -= cost(stratum);
    kept.push(...stratum);
  });
  return kept.sort((a, b) => (b.round ?? 0) - (a.round ?? 0));
}

// What one mention says about later use: the user's words most, a line of a long listing least.
const weights: { readonly [Source in TextSource]: number } = {
  text: 2,
  argument: 3,
  reasoning: 1,
  result: 1,
  opaque: 1,
};
const userWeight = 4;

function collect(entries: readonly Entry[]): FactCollector {
  const collector = new FactCollector();
  for (const entry of entries) {
    visitTexts(entry, (text, source) => collector.add(text, entry.ordinal, weightOf(entry, text, source)));
  }
  return collector;
}

function weightOf(entry: Entry, text: string, source: TextSource): number {
  if (source === 'text' && entry.role === 'user') return userWeight;
  return source === 'argument' && text.length > longArgumentChars ? 1 : weights[source];
}
