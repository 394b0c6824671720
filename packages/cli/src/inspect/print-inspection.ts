import { bar, strip } from '../terminal/charts.ts';
import { countOf, formatNumber, formatPercent } from '../terminal/numbers.ts';
import { cutTo, padEnd, padStart, printable, widthOf } from '../terminal/text.ts';
import { table } from '../terminal/table.ts';
import { formatLabels } from '@throughline/importers';
import { printNotes } from '../terminal/page.ts';
import type { Inspection, SessionFacts } from './inspection.ts';
import type { Page } from '../terminal/page.ts';
import type { FormatName } from '@throughline/importers';
import type { Column } from '../terminal/table.ts';

/** Columns of the widest bar. */
const barColumns = 22;
const leastBarColumns = 6;
/** What the numbers beside the bars of tools take. */
const numberColumns = 42;
/** Width of the first tree, whose bars show shares of the whole. */
const shareColumns = 36;
/** Narrower pages have fewer figures. */
const fullColumns = 60;
const mostTools = 12;
const mostTurnsInFull = 12;
const mostTurnsOfMany = 8;
const mostItems = 10;
const mostDuplicates = 8;

type Section = (inspection: Inspection, page: Page) => void;

const sections: readonly Section[] = [
  printHead,
  printRoles,
  printTools,
  printTurns,
  printLargest,
  printDuplicates,
  printUsage,
  printWouldFree,
];

/** One session as text. */
export function printInspection(inspection: Inspection, page: Page): void {
  for (const section of sections) section(inspection, page);
}

const roleNames: Readonly<Record<string, string>> = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool results',
  framing: 'around messages',
};

function printRoles({ byRole, tokens }: Inspection, page: Page): void {
  page.section('Where the tokens went');
  const rows = byRole.flatMap(({ role, tokens: roleTokens, kinds }) => {
    const isLeaf = kinds.length === 1;
    const name = roleNames[role] ?? role;
    const only = isLeaf && role !== 'framing' && role !== 'tool' ? `: ${kinds[0]?.kind ?? ''}` : '';
    return [
      { name: `${name}${only}`, tokens: roleTokens, depth: 0, isLeaf },
      ...(isLeaf
        ? []
        : kinds.map(({ kind, tokens: kindTokens }) => ({
            name: kind,
            tokens: kindTokens,
            depth: 1,
            isLeaf: true,
          }))),
    ];
  });
  const named = rows.map((row, index) => ({
    ...row,
    label: row.depth === 0 ? row.name : `${rows[index + 1]?.depth === 1 ? '├' : '└'} ${row.name}`,
  }));
  const digits = Math.max(7, formatNumber(tokens.total).length);
  const longest = Math.max(...named.map(({ label }) => widthOf(label)), 0);
  const width = Math.min(longest, page.columns - digits - 12);
  const left = page.columns - width - digits - 14;
  const room = left < leastBarColumns ? 0 : Math.min(shareColumns, left);
  for (const { label, tokens: rowTokens, isLeaf, depth } of named) {
    const share = tokens.total > 0 ? rowTokens / tokens.total : 0;
    const text = `${padEnd(cutTo(label, width), width)}  ${padStart(formatNumber(rowTokens), digits)}  ${padStart(formatPercent(share), 6)}`;
    const drawn = isLeaf && room > 0 ? `  ${page.style.bar(bar(share, room))}` : '';
    page.lines([`  ${depth === 0 ? text : page.style.faint(text)}${drawn}`.trimEnd()]);
  }
}

function printTools({ byTool }: Inspection, page: Page): void {
  if (byTool.length === 0) return;
  page.section('Per tool');
  const shown = byTool.slice(0, mostTools);
  page.lines(page.columns < fullColumns ? sumsOfTools(shown, page) : figuresOfTools(shown, page));
  if (byTool.length > mostTools)
    page.say(`  and ${countOf(byTool.length - mostTools, 'more tool')}`, page.style.faint);
}

/** Where there is no room for both: calls and results together, so that the names can be read. */
function sumsOfTools(tools: Inspection['byTool'], page: Page): string[] {
  const rows = tools.map(({ name, calls, callTokens, resultTokens }) => [
    { text: `  ${printable(name)}`, cut: 'middle' as const },
    formatNumber(calls),
    formatNumber(callTokens + resultTokens),
  ]);
  const layout: readonly Column[] = [
    { title: '', canCut: true },
    { title: 'calls', align: 'right' },
    { title: 'tokens', align: 'right' },
  ];
  return table(layout, rows, page.columns);
}

function figuresOfTools(shown: Inspection['byTool'], page: Page): string[] {
  const most = Math.max(...shown.map(({ callTokens, resultTokens }) => callTokens + resultTokens), 1);
  const longestName = Math.max(...shown.map(({ name }) => widthOf(printable(name))));
  const room = Math.max(leastBarColumns, Math.min(barColumns, page.columns - longestName - numberColumns));
  const rows = shown.map(({ name, calls, callTokens, results, resultTokens }) => [
    { text: `  ${printable(name)}`, cut: 'middle' as const },
    formatNumber(calls),
    formatNumber(callTokens),
    formatNumber(results),
    formatNumber(resultTokens),
    bar((callTokens + resultTokens) / most, room),
  ]);
  const layout: readonly Column[] = [
    { title: '', canCut: true },
    { title: 'calls', align: 'right' },
    { title: 'tokens', align: 'right' },
    { title: 'results', align: 'right' },
    { title: 'tokens', align: 'right' },
    { title: '', style: page.style.bar, canDrop: true },
  ];
  return table(layout, rows, page.columns);
}

function printTurns({ turns }: Inspection, page: Page): void {
  if (turns.length === 0) return;
  const isMany = turns.length > mostTurnsInFull;
  // What stands before the first request has a row, and is no turn.
  const count = turns.filter(({ number }) => number > 0).length;
  page.section(isMany ? `Turns (${countOf(count, 'turn')}; the largest below)` : 'Turns');
  if (isMany)
    page.lines([
      `  ${page.style.bar(
        strip(
          turns.map(({ tokens }) => tokens),
          page.columns - 4,
        ),
      )}`,
    ]);
  const shown = isMany ? turns.toSorted((a, b) => b.tokens - a.tokens).slice(0, mostTurnsOfMany) : turns;
  const most = Math.max(...shown.map(({ tokens }) => tokens), 1);
  const rows = shown.map(({ number, recallId, messages, tokens, request }) => [
    `  ${number === 0 ? '–' : number}`,
    recallId,
    countOf(messages, 'message'),
    formatNumber(tokens),
    bar(tokens / most, 10),
    { text: printable(request), cut: 'end' as const },
  ]);
  const layout: readonly Column[] = [
    { title: '', align: 'right' },
    { title: '' },
    { title: '', align: 'right', canDrop: true },
    { title: '', align: 'right' },
    { title: '', style: page.style.bar, canDrop: true },
    { title: '', canCut: true },
  ];
  page.lines(table(layout, rows, page.columns));
}

function printLargest({ largest }: Inspection, page: Page): void {
  if (largest.length === 0) return;
  page.section('Largest items');
  const rows = largest.slice(0, mostItems).map(({ recallId, tokens, kind, what }) => [
    `  ${recallId}`,
    formatNumber(tokens),
    kind,
    {
      text: printable(what),
      cut: kind === 'call' || kind === 'result' ? ('middle' as const) : ('end' as const),
    },
  ]);
  const layout: readonly Column[] = [
    { title: '' },
    { title: '', align: 'right' },
    { title: '' },
    { title: '', canCut: true },
  ];
  page.lines(table(layout, rows, page.columns));
}

function printDuplicates({ duplicates }: Inspection, page: Page): void {
  if (duplicates.length === 0) return;
  const total = duplicates.reduce((sum, { repeatedTokens }) => sum + repeatedTokens, 0);
  page.section(`Read or run again: ≈ ${formatNumber(total)} tokens in the earlier results`);
  const rows = duplicates
    .slice(0, mostDuplicates)
    .map(({ tool, what, times, repeatedTokens }) => [
      `  ${times}×`,
      formatNumber(repeatedTokens),
      printable(tool),
      { text: printable(what), cut: 'middle' as const },
    ]);
  const layout: readonly Column[] = [
    { title: '', align: 'right' },
    { title: '', align: 'right' },
    { title: '', canCut: true },
    { title: '', canCut: true },
  ];
  page.lines(table(layout, rows, page.columns));
  if (duplicates.length > mostDuplicates) {
    page.say(`  and ${duplicates.length - mostDuplicates} more`, page.style.faint);
  }
}

function printWouldFree(inspection: Inspection, page: Page): void {
  const { wouldFree, window } = inspection;
  page.section(`What would go now, in a window of ${formatNumber(window.tokens)}`);
  for (const [name, { freedTokens, afterTokens, steps, cannotFit }] of Object.entries(wouldFree)) {
    const share = afterTokens / window.usableTokens;
    const after = `leaves ${formatNumber(afterTokens)} (${formatPercent(share)} of usable)`;
    const freed = freedTokens === 0 ? 'nothing worth it' : `frees ${formatNumber(freedTokens)}`;
    const line = `  ${padEnd(name, 8)} ${freed}, ${after}`;
    if (widthOf(line) > page.columns) page.say(line);
    else if (freedTokens === 0) page.lines([line]);
    else page.lines([`  ${padEnd(name, 8)} ${page.style.freed(freed)}, ${after}`]);
    for (const step of freedTokens === 0 ? [] : steps)
      page.say(`             ${printable(step)}`, page.style.faint);
    if (cannotFit) page.say('             and still does not fit', page.style.bad);
  }
}

/** What the provider counted, beside the estimate. */
function printUsage({ usage, nextRequest }: Inspection, page: Page): void {
  if (!usage) return;
  const { calls, last, before, after, calibratedOn, holdsWholePrompt, notInLogTokens } = usage;
  page.section(`What the provider counted, in ${countOf(calls, 'call')}`);
  const cached =
    last.cacheReadTokens > 0 ? `, ${formatNumber(last.cacheReadTokens)} of it from the cache` : '';
  page.field('last prompt', `${formatNumber(last.recordedTokens)}${cached}`);
  page.field(
    'estimate of it',
    `${formatNumber(last.estimatedTokens)}; calibrated on the calls before it ${formatNumber(last.calibratedTokens)}`,
  );
  const next = nextRequest?.countedTokens ?? null;
  if (next !== null) page.field('next prompt', `≈ ${formatNumber(next)}, with what came since`);
  if (before)
    page.field('error, estimate', `p50 ${formatPercent(before.p50)}, p90 ${formatPercent(before.p90)}`);
  if (after) {
    page.field(
      'error, calibrated',
      `p50 ${formatPercent(after.p50)}, p90 ${formatPercent(after.p90)} in the ${countOf(after.calls, 'call')} after the first ${calibratedOn}`,
    );
  }
  if (holdsWholePrompt) return;
  const amount = notInLogTokens > 0 ? ` (≈ ${formatNumber(notInLogTokens)} tokens of each prompt)` : '';
  page.field(
    'not in the log',
    `the system prompt and the tools${amount}: no estimate here counts them`,
    page.style.warning,
  );
}

const mostOthers = 10;

/** What the file is, and how full the window is. */
function printHead(inspection: Inspection, page: Page): void {
  const {
    file,
    format,
    session,
    otherSessions,
    recordedCompactions,
    tokens,
    window,
    percentOfUsable,
    nextRequest,
    notes,
  } = inspection;
  const { style } = page;
  page.section(printable(file));
  page.row([
    formatLabels[format as FormatName] ?? format,
    ...(session.kind === 'active' ? [] : [`its ${session.kind} part ${session.number}`]),
    countOf(session.messages, 'message'),
    countOf(session.turns, 'turn'),
    ...(session.model === null ? [] : [`model ${printable(session.model)}`]),
    ...(recordedCompactions === 0 ? [] : [countOf(recordedCompactions, 'recorded compaction')]),
  ]);
  if (session.title !== null) page.say(`“${printable(session.title)}”`, style.faint);
  printOthers(otherSessions, page);
  printNotes(notes, page);
  page.lines(['']);
  const share = percentOfUsable / 100;
  const level = share > 0.95 ? style.bad : share > 0.8 ? style.warning : style.good;
  page.say(
    `≈ ${formatNumber(tokens.total)} tokens: ${formatPercent(share)} of the ${formatNumber(window.usableTokens)} usable`,
    level,
  );
  page.say(`in a window of ${formatNumber(window.tokens)} (${windowSource(inspection)})`);
  if (nextRequest?.isCompacted)
    page.say(
      `The next request has ≈ ${formatNumber(nextRequest.tokens)} (${formatPercent(nextRequest.tokens / window.usableTokens)}), in ${countOf(nextRequest.messages, 'message')}: the rest was compacted or pruned. All other numbers are of the whole history, as it was said.`,
    );
}

function windowSource({ window: { source, model } }: Inspection): string {
  const named = model === null ? '' : printable(model);
  if (source === 'option') return '--window';
  if (source === 'model') return `that of ${named}`;
  if (source === 'log') return model === null ? 'what the log says' : `what the log says, of ${named}`;
  if (source === 'recorded model') return `that of ${named}, the recorded model`;
  return 'assumed; the model is not known: give --window or --model';
}

function printOthers(others: readonly SessionFacts[], page: Page): void {
  if (others.length === 0) return;
  page.say('Also in the file, each with --session N:', page.style.faint);
  for (const { number, kind, messages, title, id } of others.slice(0, mostOthers)) {
    const named = title === null ? printable(id) : `“${printable(title)}”`;
    const line = `  ${padStart(String(number), 3)}  ${padEnd(kind, 8)}  ${countOf(messages, 'message')}  ${named}`;
    page.lines([page.style.faint(cutTo(line, page.columns))]);
  }
  if (others.length > mostOthers)
    page.say(`  and ${others.length - mostOthers} more (--json lists all)`, page.style.faint);
}
