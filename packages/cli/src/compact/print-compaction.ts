import { cannotFitText } from '@throughline/core';
import { describeRepairs } from './describe.ts';
import { countOf, formatNumber, formatPercent } from '../terminal/numbers.ts';
import { printable, printableLines, wrap } from '../terminal/text.ts';
import { table } from '../terminal/table.ts';
import { printNotes } from '../terminal/page.ts';
import type { Column } from '../terminal/table.ts';
import type { Compaction, Words } from './compaction.ts';
import type { Page, Paint } from '../terminal/page.ts';

/** Lines of a long summary that are shown from its start and its end. */
const summaryHead = 40;
const summaryTail = 12;
const mostNotes = 5;

type Section = (compaction: Compaction, page: Page, isFull: boolean) => void;

const sections: readonly Section[] = [
  printHead,
  printCannotFit,
  printBeforeAfter,
  printLadderSteps,
  printSummary,
  printChecks,
  printOutput,
];

/** What a compaction did, as text. A long summary is shown in part unless `isFull`. */
export function printCompaction(compaction: Compaction, page: Page, isFull = false): void {
  for (const section of sections) section(compaction, page, isFull);
}

const outcomes: Readonly<Record<Compaction['outcome'], string>> = {
  compacted: 'compacted',
  unchanged: 'left as it is: there is nothing to gain',
  repaired: 'repaired, not compacted: there is nothing to gain',
  undone: 'the last compaction was taken back',
  'cannot-fit': 'it cannot fit',
};

function printHead(
  { file, window, strategy, outcome, round, continuedFrom, notes }: Compaction,
  page: Page,
): void {
  page.section(`${printable(file)}: ${outcomes[outcome]}`);
  if (window.source !== 'none') {
    const named = window.source === 'option' || window.model === null ? '' : ` of ${printable(window.model)}`;
    page.row([
      `window${named} ${formatNumber(window.tokens)}`,
      `usable ${formatNumber(window.usableTokens)}`,
      `target ${formatNumber(window.targetTokens)}`,
      `strategy ${printable(strategy)}`,
      ...(round === null ? [] : [`round ${round}`]),
    ]);
  }
  if (continuedFrom !== null) page.say(`goes on from ${printable(continuedFrom)}`, page.style.faint);
  printNotes(notes, page);
}

function printCannotFit({ cannotFit }: Compaction, page: Page): void {
  if (!cannotFit) return;
  const { parts, ...sizes } = cannotFit;
  page.section('What cannot become smaller');
  page.say(cannotFitText(sizes, { number: formatNumber }), page.style.bad);
  const rows = parts.map(({ name, tokens, recallId }) => [
    `  ${printable(name)}`,
    formatNumber(tokens),
    recallId ?? '',
  ]);
  page.lines(table([{ title: '', canCut: true }, number, { title: '' }], rows, page.columns));
}

const number: Column = { title: '', align: 'right' };

function printBeforeAfter(
  { byCategory, messages, tokens, outcome, percentOfUsable, window }: Compaction,
  page: Page,
): void {
  if (outcome === 'cannot-fit') return;
  page.section('Before and after');
  const rows = byCategory.map(({ category, count, tokens: cost }) => [
    `  ${category}`,
    formatNumber(count.before),
    formatNumber(count.after),
    formatNumber(cost.before),
    formatNumber(cost.after),
  ]);
  const total = [
    '  all messages',
    ...[messages.before, messages.after, tokens.before, tokens.after].map(formatNumber),
  ];
  const layout: Column[] = [
    { title: '' },
    { title: 'count', align: 'right', canDrop: true },
    { title: 'after', align: 'right', canDrop: true },
    { title: 'tokens', align: 'right' },
    { title: 'after', align: 'right' },
  ];
  const lines = table(layout, [...rows, total], page.columns);
  page.lines([...lines.slice(0, -1), page.style.heading(lines.at(-1) ?? '')]);
  const saved = tokens.before > 0 ? (tokens.before - tokens.after) / tokens.before : 0;
  const ofUsable = window.source === 'none' ? '' : `, ${formatPercent(percentOfUsable / 100)} of usable`;
  const change =
    saved > 0
      ? `${formatPercent(saved)} smaller`
      : saved < 0
        ? `${formatPercent(-saved)} larger`
        : 'as large as before';
  page.say(`  ${change}${ofUsable}`, saved > 0 ? page.style.freed : undefined);
}

function printLadderSteps({ ladderSteps, outcome }: Compaction, page: Page): void {
  if (ladderSteps.length === 0) return;
  page.section(outcome === 'cannot-fit' ? 'What was tried, in order' : 'What was done, in order');
  const rows = ladderSteps.map(({ ladderStep, freedTokens, afterTokens, what }) => [
    `  ${ladderStep}`,
    `${freedTokens >= 0 ? '−' : '+'}${formatNumber(Math.abs(freedTokens))}`,
    formatNumber(afterTokens),
    printable(what),
  ]);
  const layout: Column[] = [
    { title: '' },
    { title: 'tokens', align: 'right', style: page.style.freed },
    { title: 'left', align: 'right' },
    { title: '', canCut: true },
  ];
  page.lines(table(layout, rows, page.columns));
}

const wordings: Readonly<Record<Words, string>> = {
  verbatim: 'yes, verbatim',
  truncated: 'truncated: it is above 25 % of what is usable',
  missing: 'no',
  none: 'there is none',
};

function printChecks(compaction: Compaction, page: Page): void {
  const { outcome, facts, task, latestRequest, summariser, warnings } = compaction;
  const { style } = page;
  if (outcome !== 'cannot-fit') {
    page.section('Checked on the result');
    const colour = (state: Words): Paint => (state === 'missing' ? style.bad : style.good);
    page.field('original task', wordings[task], colour(task));
    page.field('latest request', wordings[latestRequest], colour(latestRequest));
    printValidity(compaction, page);
    if (facts.named > 0) page.field('facts', factsSentence(facts));
    page.field('summary by', printable(summariser.explanation));
  }
  for (const warning of warnings) page.field('warning', printable(warning), style.warning);
}

function factsSentence({ named, kept, namedOften, keptOften }: Compaction['facts']): string {
  const often =
    namedOften > 0
      ? `; of those in more than one message, ${formatNumber(keptOften)} of ${formatNumber(namedOften)}`
      : '';
  return `${formatNumber(kept)} of ${formatNumber(named)} paths, URLs, ids and names of what was compacted or pruned are still named${often}`;
}

function printValidity({ validity: { repairs, violations }, outcome }: Compaction, page: Page): void {
  const count = countOf(violations.length, 'rule');
  // What was broken before the compaction comes back with an undo.
  if (outcome === 'undone' && violations.length > 0)
    return page.field('valid', `as it was: ${count} of the format broken`, page.style.warning);
  const mended =
    repairs.length === 0 ? 'nothing had to be repaired' : `repaired: ${describeRepairs(repairs)}`;
  const left = violations.length === 0 ? 'yes, no rule of the format is broken' : `no, ${count} still broken`;
  page.field('valid', `${left}; ${mended}`, violations.length > 0 ? page.style.bad : page.style.good);
}

function printSummary({ summary, outcome }: Compaction, page: Page, isFull: boolean): void {
  if (!summary || outcome === 'cannot-fit') return;
  const { text, tokens, archivedMessages, profile } = summary;
  page.section(
    `Summary (${formatNumber(tokens)} tokens for ${countOf(archivedMessages, 'message')}; profile ${printable(profile)})`,
  );
  const lines = printableLines(text).flatMap((line) => wrap(line, page.columns));
  const left = lines.length - summaryHead - summaryTail;
  if (isFull || left <= summaryTail) return page.lines(lines);
  page.lines(lines.slice(0, summaryHead));
  page.say(`[… ${countOf(left, 'line')} more; --full shows them]`, page.style.faint);
  page.lines(lines.slice(-summaryTail));
}

function printOutput({ output, outcome }: Compaction, page: Page): void {
  if (outcome === 'cannot-fit') return;
  page.lines(['']);
  if (!output) return page.say('Nothing was written; --out FILE writes the result.', page.style.faint);
  const { file, format, stateFile, losses } = output;
  if (file !== null)
    page.say(`Written: ${file === '-' ? 'standard output' : printable(file)} (${format})`, page.style.good);
  else page.say('The transcript itself is as it was; --out FILE writes it as it was before the compaction.');
  if (stateFile !== null) page.say(`State:   ${printable(stateFile)}`, page.style.good);
  else
    page.say(
      'No state was written: nothing lies beside standard output. A later compaction or undo needs --out FILE.',
      page.style.warning,
    );
  for (const { path, reason } of losses.slice(0, mostNotes))
    page.say(`lost: ${printable(path)}: ${printable(reason)}`, page.style.warning);
  if (losses.length > mostNotes)
    page.say(`and ${losses.length - mostNotes} more that the format cannot say`, page.style.warning);
}
