import { collectFacts } from './collect-facts.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { byRound, shareRounds } from './share-facts.ts';
import { factCost } from './fact-cost.ts';
import type { CarriedFact } from '../transcript/summary-record.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';
import type { Ranking } from './ranking.ts';

/** A fact costs three tokens on average; some are left out because others say them. */
const candidatesPerToken = 0.75;

/**
 * The facts of all texts that are folded, and those of earlier rounds, within a bound: most useful first inside each
 * round; earlier rounds share 40 % of the bound equally, so that what round 1 found survives round 10.
 */
export function carryFacts(source: FoldSource, limits: SummaryLimits, known: string): CarriedFact[] {
  const round = (source.previous?.round ?? 0) + 1;
  const older: CarriedFact[] = [];
  const collector = collectFacts(source.entries);
  const carried = new Set<string>();
  for (const fact of source.previous?.facts ?? []) {
    const again = collector.find(fact.text);
    carried.add(fact.text);
    const merged = again
      ? { ...fact, recallId: messageRecallId(again.ordinal), mentions: fact.mentions + again.mentions }
      : fact;
    older.push({ ...merged, round: Math.min(fact.round ?? round - 1, round - 1) });
  }
  const maxTokens = limits.indexTokens;
  const ranking = collector.ranking(Math.ceil(maxTokens * candidatesPerToken) + carried.size);
  const { estimator, factCost: cost = factCost(estimator) } = limits;
  const options = { round, maxTokens, estimator, cost, known, asked: ranking.asked };
  return shareRounds(newest(ranking, carried, round), byRound(older, round).older, options);
}

/** Those that are not carried already. Most are never asked for: there is no more room. */
function* newest(ranking: Ranking, carried: ReadonlySet<string>, round: number): Generator<CarriedFact> {
  for (let rank = 0, fact = ranking.at(0); fact; fact = ranking.at((rank += 1))) {
    const { text, mentions, ordinal } = fact;
    if (!carried.has(text)) yield { text, mentions, recallId: messageRecallId(ordinal), round };
  }
}
