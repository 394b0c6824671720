import { FactCollector } from './fact-collector.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { byRound, shareRounds } from './share-facts.ts';
import { visitTexts } from '../transcript/entry-text.ts';
import type { CarriedFact } from '../transcript/summary-record.ts';
import type { Entry } from '../transcript/entry.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';
import type { TextSource } from '../transcript/entry-text.ts';

const longArgumentChars = 300;
/** A fact costs three tokens on average; some are left out because others say them. */
const candidatesPerToken = 0.75;

/**
 * The facts of all texts that are folded, and those of earlier rounds, within a bound: most useful first inside each
 * round; earlier rounds share 40 % of the bound equally, so that what round 1 found survives round 10.
 */
export function carryFacts(source: FoldSource, limits: SummaryLimits, known: string): CarriedFact[] {
  const round = (source.previous?.round ?? 0) + 1;
  const older: CarriedFact[] = [];
  const collector = collect(source.entries);
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
  const candidates = collector.ranked(Math.ceil(maxTokens * candidatesPerToken) + carried.size);
  // Most are never asked for: there is no more room.
  function* newest(): Generator<CarriedFact> {
    for (const { text, mentions, ordinal } of candidates) {
      if (!carried.has(text)) yield { text, mentions, recallId: messageRecallId(ordinal), round };
    }
  }
  const options = { round, maxTokens, estimator: limits.estimator, known };
  return shareRounds(newest(), byRound(older, round).older, options);
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

/**
 * Characters that one fold reads for facts. Several windows of text: only a history that is opened for the first time
 * when it is much larger than that has more, and the index could not name a hundredth of it. Of what lies before, what
 * user and agent said is read, and the short arguments of the calls.
 */
const mostCharacters = 1_500_000;

function collect(entries: readonly Entry[]): FactCollector {
  const collector = new FactCollector();
  const wholeFrom = firstWithin(entries, mostCharacters);
  entries.forEach((entry, index) => {
    visitTexts(entry, (text, source) => {
      if (index >= wholeFrom || isSaid(text, source)) {
        collector.add(text, entry.ordinal, weightOf(entry, text, source));
      }
    });
  });
  return collector;
}

function isSaid(text: string, source: TextSource): boolean {
  return source === 'text' || (source === 'argument' && text.length <= longArgumentChars);
}

/** Index of the oldest message of the newest ones that hold so many characters together. */
function firstWithin(entries: readonly Entry[], characters: number): number {
  let left = characters;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    visitTexts(entries[index] as Entry, (text) => {
      left -= text.length;
    });
    if (left < 0) return index;
  }
  return 0;
}

function weightOf(entry: Entry, text: string, source: TextSource): number {
  if (source === 'text' && entry.role === 'user') return userWeight;
  return source === 'argument' && text.length > longArgumentChars ? 1 : weights[source];
}
