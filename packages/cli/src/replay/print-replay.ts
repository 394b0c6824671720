import { areaChart, chartMarks } from '../terminal/charts.ts';
import { formatCost } from './prices.ts';
import { countOf, formatNumber, formatPercent } from '../terminal/numbers.ts';
import { formatLabels } from '@throughline/importers';
import { labelOf, noStrategy } from './replayed.ts';
import { printable } from '../terminal/text.ts';
import { printVerdict } from './print-verdict.ts';
import { table } from '../terminal/table.ts';
import { printNotes } from '../terminal/page.ts';
import type { FormatName } from '@throughline/importers';
import type { Page } from '../terminal/page.ts';
import type { Recall, Replayed, ReplayPrices, StrategyReplay } from './replayed.ts';
import type { Column } from '../terminal/table.ts';

const chartRows = 10;

type Section = (replayed: Replayed, page: Page) => void;

const sections: readonly Section[] = [printHead, printSent, printKept, printChart, printVerdict];

/** One replayed session as text. */
export function printReplay(replayed: Replayed, page: Page): void {
  for (const section of sections) section(replayed, page);
}

function printHead(replayed: Replayed, page: Page): void {
  const { file, format, session, requests, recordedCompactions, window, notes } = replayed;
  const { style } = page;
  page.section(printable(file));
  page.row([
    formatLabels[format as FormatName] ?? format,
    countOf(session.messages, 'message'),
    countOf(requests, 'request'),
    ...(session.model === null ? [] : [`model ${printable(session.model)}`]),
  ]);
  page.say(
    `window of ${formatNumber(window.tokens)} (${sourceOf(replayed)}), ${formatNumber(window.promptTokens)} of it for the prompt`,
  );
  if (recordedCompactions > 0) {
    const many = countOf(recordedCompactions, 'compaction');
    page.say(`Its tool has recorded ${many}; --whole replays what lies before the last, too.`, style.faint);
  }
  printNotes(notes, page);
  printUncounted(replayed, page);
}

function sourceOf({ window: { source, model } }: Replayed): string {
  const named = model === null ? '' : printable(model);
  if (source === 'option') return '--window';
  if (source === 'model') return `that of ${named}`;
  if (source === 'log') return 'what the log says';
  if (source === 'recorded model') return `that of ${named}, the recorded model`;
  return 'assumed; the model is not known: give --window or --model';
}

function printUncounted({ notInLog: { what, tokens } }: Replayed, page: Page): void {
  if (what.length === 0) return;
  const amount = tokens === null ? '' : ` (≈ ${formatNumber(tokens)} tokens of each request)`;
  page.say(
    `Not in the log, and not counted here: ${what.map((part) => `the ${part}`).join(' and ')}${amount}.`,
    page.style.faint,
  );
}

function printSent({ strategies, window }: Replayed, page: Page): void {
  page.section('What was sent');
  const rows = strategies.map((row) => [
    labelOf(row.strategy),
    formatNumber(row.requests),
    formatNumber(row.overflows),
    formatNumber(row.tokens.largest),
    formatNumber(row.tokens.mean),
    formatNumber(row.compactions),
    formatNumber(row.prefixBreaks),
  ]);
  const right = (title: string, canDrop = false): Column => ({
    title,
    align: 'right',
    ...(canDrop ? { canDrop: true } : {}),
  });
  const layout: readonly Column[] = [
    { title: 'strategy', canCut: true },
    right('requests', true),
    right('over'),
    right('largest'),
    right('mean'),
    right('compactions', true),
    right('breaks', true),
  ];
  page.lines(table(layout, rows, page.columns));
  const cannotFit = strategies.filter((row) => row.cannotFit > 0);
  page.say(
    `over: requests of more than the ${formatNumber(window.promptTokens)} tokens for the prompt. breaks: requests that do not begin with the one before, so that the cache does not have them.`,
    page.style.faint,
  );
  for (const row of cannotFit)
    page.say(
      `${labelOf(row.strategy)}: ${countOf(row.cannotFit, 'request')} could not be made to fit, and nothing was sent.`,
      page.style.bad,
    );
}

function printKept(replayed: Replayed, page: Page): void {
  const { strategies, prices } = replayed;
  page.section(`What it costs${prices.unit === 'usd' ? '' : ' (in input tokens)'} and keeps`);
  const rows = strategies.map(({ strategy, cost, cachedShare, recall }) => [
    labelOf(strategy),
    formatCost(cost.total, prices),
    cost.ofNone === null ? '–' : formatPercent(cost.ofNone),
    formatPercent(cachedShare),
    shareOf(recall.names),
    shareOf(recall.places),
  ]);
  const layout: readonly Column[] = [
    { title: 'strategy', canCut: true },
    { title: 'cost', align: 'right' },
    { title: 'of none', align: 'right', canDrop: true },
    { title: 'from cache', align: 'right', canDrop: true },
    { title: 'names', align: 'right' },
    { title: 'places', align: 'right' },
  ];
  page.lines(table(layout, rows, page.columns));
  for (const sentence of [priceSentence(replayed), recallSentence(replayed), standInSentence(strategies)])
    if (sentence !== '') page.say(sentence, page.style.faint);
}

function shareOf({ used, kept }: Recall): string {
  return formatPercent(kept / used);
}

function priceSentence({ prices, strategies }: Replayed): string {
  const { unit, model, perMillion, cacheLifetimeMs, knownPauses, pricedUpToTokens } = prices;
  const largest = Math.max(...strategies.map(({ tokens }) => tokens.largest));
  const each =
    unit === 'usd'
      ? `by the prices of ${printable(model ?? '')}: ${priceList(prices)}`
      : `the price is not known (--model names a model), so it is in uncached input tokens: a token from the cache counts ${perMillion.cacheRead} of one, a token of an answer ${perMillion.output}`;
  const cache =
    cacheLifetimeMs === null
      ? ' Nothing is cached.'
      : ` The cache forgets after ${countOf(cacheLifetimeMs / 60_000, 'minute')}; ${pauses(knownPauses)}.`;
  const more =
    pricedUpToTokens !== null && largest > pricedUpToTokens
      ? ` Prompts above ${formatNumber(pricedUpToTokens)} tokens cost more than that.`
      : '';
  return `cost: of the prompts and of what a model is asked for summaries, without the answers; ${each}.${cache}${more}`;
}

/** Dollars for a million tokens of a prompt. */
function priceList({ perMillion: { input, cacheRead, cacheWrite } }: ReplayPrices): string {
  const dollars = (price: number): string =>
    Number.isInteger(price * 10) && !Number.isInteger(price) ? `$${price.toFixed(2)}` : `$${price}`;
  const write = cacheWrite === input ? '' : `, ${dollars(cacheWrite)} to write into the cache`;
  return `${dollars(input)} for a million tokens${write}, ${dollars(cacheRead)} from the cache`;
}

function pauses(share: number): string {
  if (share === 0) return 'the log does not say when requests were made, so all are taken to come in time';
  return share === 1
    ? 'pauses are those of the log'
    : `pauses are those of the log, which has ${formatPercent(share)} of them`;
}

function recallSentence({ strategies: [none], requests, measuredRequests }: Replayed): string {
  const { names, places } = none?.recall ?? { names: { used: 0 }, places: { used: 0 } };
  if (names.used === 0)
    return 'names: the agent used nothing again that had last been said more than 20 messages before.';
  const sample =
    measuredRequests === requests ? '' : ` (looked up at ${formatNumber(measuredRequests)} of the requests)`;
  return `names: of the ${formatNumber(names.used)} that the agent used again in a call more than 20 messages after they were last said (paths, ids, identifiers, numbers), how many were still in front of it${sample}; places: of the ${formatNumber(places.used)} of them in short arguments.`;
}

/** Who stood in for a model, so that nobody takes its work for a model's. */
function standInSentence(strategies: readonly StrategyReplay[]): string {
  const named = (is: (row: StrategyReplay) => boolean): string =>
    strategies
      .filter(is)
      .map(({ strategy }) => strategy)
      .join(', ');
  const byCode = named(({ summariesBy }) => summariesBy === 'code');
  const written = named(({ summariesBy }) => summariesBy === 'stand-in');
  const decided = named(({ decisionsBy }) => decisionsBy !== null);
  const sentences = [
    byCode === '' ? '' : `Code writes the summaries of ${byCode}.`,
    written === ''
      ? ''
      : `A stand-in for a model writes those of ${written}: it copies the most telling lines, at most 1,000 tokens, and is paid like the model.`,
    decided === ''
      ? ''
      : `For ${decided} a stand-in also decides what can go: calls and results, oldest first, up to half of what it is shown. A model would choose better.`,
  ].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? '' : `No model was asked. ${sentences.join(' ')}`;
}

function printChart({ strategies, verdict, window }: Replayed, page: Page): void {
  const none = strategies.find(({ strategy }) => strategy === noStrategy);
  const best = strategies.find(({ strategy }) => strategy === verdict.best);
  if (!none) return;
  const { style } = page;
  page.section('Tokens of each request');
  const isBeside = best !== undefined && !verdict.isIdle;
  const sizes = (row: StrategyReplay | undefined): number[] =>
    row?.contextTokens.map((tokens) => tokens ?? 0) ?? [];
  const paint = { back: style.faint, front: style.bar, limit: style.warning };
  const lines = areaChart({
    back: isBeside ? sizes(none) : [],
    front: sizes(isBeside ? best : none),
    limit: window.promptTokens,
    columns: page.columns,
    rows: chartRows,
    paint,
  });
  page.lines(lines);
  page.row([
    ...(isBeside ? [`${paint.back(chartMarks.back)} ${labelOf(none.strategy)}`] : []),
    `${paint.front(chartMarks.front)} ${labelOf(isBeside ? best.strategy : none.strategy)}`,
    ...(lines.some((line) => line.includes(chartMarks.limit))
      ? [`${paint.limit(chartMarks.limit)} most for the prompt`]
      : []),
  ]);
}
