import { costInWords } from './prices.ts';
import { countOf, formatNumber, formatPercent } from '../terminal/numbers.ts';
import { labelOf, noStrategy } from './replayed.ts';
import type { Page } from '../terminal/page.ts';
import type { CompactionCost, Replayed, StrategyReplay } from './replayed.ts';

/** What the tables come to, in words. */
export function printVerdict(replayed: Replayed, page: Page): void {
  page.section('In short');
  if (replayed.verdict.isIdle) {
    page.say(idleSentence(replayed));
    return;
  }
  page.say(bestSentence(replayed));
  const best = rowOf(replayed, replayed.verdict.best);
  if (best) page.say(compactionSentence(replayed, best));
}

function rowOf({ strategies }: Replayed, name: string | null): StrategyReplay | undefined {
  return strategies.find(({ strategy }) => strategy === name);
}

/** Windows that people know. */
const smallerWindows = [500_000, 200_000, 128_000, 64_000, 32_000, 16_000, 8_000, 4_000];

function idleSentence({ strategies: [none], window }: Replayed): string {
  const largest = none?.tokens.largest ?? 0;
  const grown = `The session never outgrows its window: the largest request has ${formatNumber(largest)} tokens, and there is nothing to compact.`;
  const smaller = smallerWindows.find((tokens) => tokens < window.tokens && tokens <= largest);
  return smaller === undefined
    ? grown
    : `${grown} --window ${smaller / 1_000}k shows what the strategies would do with less room.`;
}

function bestSentence(replayed: Replayed): string {
  const { verdict, prices } = replayed;
  const cheapest = rowOf(replayed, verdict.cheapest);
  const keptMost = rowOf(replayed, verdict.keptMost);
  if (!cheapest) return '';
  const price = `${costInWords(cheapest.cost.total, prices)}${ofNone(cheapest)}`;
  if (!keptMost)
    return `Cheapest: ${labelOf(cheapest.strategy)}, ${price}. There was nothing to keep for later.`;
  const { kept, used } = keptMost.recall.names;
  const share = `${formatPercent(kept / used)} of the names used again`;
  return cheapest === keptMost
    ? `Cheapest, and keeps most: ${labelOf(cheapest.strategy)}, ${price}, ${share}.`
    : `Cheapest: ${labelOf(cheapest.strategy)}, ${price}. Keeps most: ${labelOf(keptMost.strategy)}, ${share}, for ${costInWords(keptMost.cost.total, prices)}.`;
}

function ofNone({ strategy, cost }: StrategyReplay): string {
  return cost.ofNone === null || strategy === noStrategy
    ? ''
    : ` (${formatPercent(cost.ofNone)} of no management)`;
}

function compactionSentence(replayed: Replayed, best: StrategyReplay): string {
  const { compaction, strategy, compactions } = best;
  if (!compaction) return `${labelOf(strategy)} had nothing to compact.`;
  return `A compaction of ${strategy} ${costsAndSaves(compaction, replayed)} ${totalSentence(replayed, best, compactions)}`;
}

function costsAndSaves(compaction: CompactionCost, { prices }: Replayed): string {
  const { rewrite, summariser, savedPerRequest, paidBackAfter } = compaction;
  const words = (cost: number): string => costInWords(cost, prices);
  const asked = summariser > 0 ? ` and ${words(summariser)} for the model it asks` : '';
  const costs =
    rewrite + summariser <= 0
      ? `costs nothing: the next request is cheaper at once`
      : `costs ${words(rewrite)} once for a prompt that is not in the cache${asked}`;
  const saves =
    savedPerRequest <= 0
      ? ', and saves nothing later.'
      : `, and saves ${words(savedPerRequest)} at each later request${paidBack(paidBackAfter)}.`;
  return costs + saves;
}

function paidBack(after: number | null): string {
  if (after === null || after === 0) return '';
  return `: paid back after ${countOf(after, 'request')}`;
}

/** What all compactions together made of the bill. */
function totalSentence(
  { strategies: [none], prices }: Replayed,
  best: StrategyReplay,
  count: number,
): string {
  if (!none) return '';
  const saved = none.cost.total - best.cost.total;
  const difference = `${costInWords(Math.abs(saved), prices)} ${saved >= 0 ? 'cheaper' : 'dearer'}`;
  const refused =
    none.overflows > best.overflows
      ? `, ${countOf(none.overflows, 'request')} of which would not have fitted.`
      : '.';
  return `With its ${countOf(count, 'compaction')} the session is ${difference} than without management${refused}`;
}
