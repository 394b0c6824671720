import { formatNumber, formatTable, formatThousands } from '../table.ts';
import type { Cell } from '../table.ts';
import type { Figures, Tally } from './tally.ts';
import type { SetName, Skipped } from './read-sessions.ts';

export interface SessionReport {
  readonly name: string;
  readonly set: SetName;
  readonly format: string;
  readonly tallies: Readonly<Record<string, Tally>>;
}

interface SetReport {
  readonly set: SetName | 'all';
  readonly sessions: number;
  readonly rows: readonly { readonly name: string; readonly figures: Figures }[];
}

export interface BudgetReport {
  readonly budgetTokens: number;
  readonly sessions: readonly SessionReport[];
  readonly skipped: readonly Skipped[];
  readonly sets: readonly SetReport[];
}

export interface ReplayReport {
  readonly folder: string;
  readonly windowTokens: number;
  readonly outputReserveTokens: number;
  readonly maxSteps: number;
  readonly reportsUsage: boolean;
  readonly seconds: number;
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
  readonly budgets: readonly BudgetReport[];
}

type Column = readonly [heading: string, cell: (figures: Figures) => Cell];

const columns: readonly Column[] = [
  ['FUR', ({ recall }) => formatNumber(recall.all)],
  ['far', ({ recall }) => formatNumber(recall.far)],
  ['loc far', ({ recall }) => formatNumber(recall.locatorFar)],
  ['no index: far', ({ recall }) => formatNumber(recall.blankedFar)],
  ['loc far', ({ recall }) => formatNumber(recall.blankedLocatorFar)],
  ['mean', ({ meanTokens }) => formatThousands(meanTokens)],
  ['max', ({ maxTokens }) => formatThousands(maxTokens)],
  ['> B', ({ stepsOverBudget }) => stepsOverBudget],
  ['over W', ({ overflowSteps }) => overflowSteps],
  ['util', ({ utilisation }) => formatNumber(utilisation)],
  ['cost', ({ costCached }) => formatNumber(costCached)],
  ['flat', ({ costFlat }) => formatNumber(costFlat)],
  ['prefix', ({ prefixKept }) => formatNumber(prefixKept)],
  ['breaks', ({ breaks, silentBreaks }) => (silentBreaks > 0 ? `${breaks} (${silentBreaks}!)` : breaks)],
  ['user', ({ userMessages }) => formatNumber(userMessages)],
  ['rules', ({ ruleSentences }) => formatNumber(ruleSentences)],
  ['files', ({ files }) => formatNumber(files)],
  ['valid %', ({ valid }) => formatNumber(valid * 100, 1)],
  ['not same', ({ determinismFaults }) => determinismFaults],
  ['ms p50', ({ stepMsMedian }) => formatNumber(stepMsMedian)],
  ['p95', ({ stepMsP95 }) => formatNumber(stepMsP95)],
];

const legend = [
  'FUR: share of the entities in the arguments of the next calls that the context still names (M2); far: last mentioned',
  'more than 20 messages before; loc: in arguments of at most 300 characters; no index: placeholders blanked.',
  'mean/max: tokens sent (o200k + 4 per message); > B: steps above the budget; over W: steps above the window with the',
  'answer reserve; util: mean/B after the first trigger; cost: with a prompt cache (read 0.1, write 1.25), relative to no',
  'management, every call within the lifetime of the cache (logs hold no gaps here); flat: without a cache; prefix: share',
  'of the former request that is still cached; breaks (n!): n of them without a compaction; user, rules: the user’s',
  'messages and sentences with never/only/… verbatim (M6); files: files touched so far that are named (M7); not same:',
  'faults of determinism (M12).',
];

/** The report as tables: overall and per set for each budget, then which sessions were used, and which were not. */
export function printReplay(report: ReplayReport): string {
  const { folder, windowTokens, maxSteps, reportsUsage, seconds, notes, budgets } = report;
  const lines = [
    `Replay of ${folder}`,
    `W = ${formatThousands(windowTokens)}; at most ${maxSteps} steps of a session are measured in full; the engine is ` +
      `${reportsUsage ? 'told what each request measured, as servers do' : 'told no usage'}; took ${seconds.toFixed(0)} s.`,
    ...notes,
    '',
    ...legend,
  ];
  for (const budget of budgets) lines.push('', ...printBudget(budget));
  return lines.join('\n');
}

function printBudget({ budgetTokens, sessions, skipped, sets }: BudgetReport): string[] {
  const lines = [
    `━━ B = ${formatThousands(budgetTokens)}: ${sessions.length} sessions used, ${skipped.length} not ━━`,
  ];
  for (const { set, sessions: used, rows } of sets) {
    const [first] = rows;
    if (!first) continue;
    const { steps, measuredSteps, uses, farUses, locatorFarUses } = first.figures;
    lines.push(
      '',
      `${set === 'all' ? 'all sets' : set}: ${used} sessions, ${steps} steps (${measuredSteps} measured in full), ` +
        `${uses} uses, ${farUses} far, ${locatorFarUses} far locators`,
      formatTable(
        ['contender', ...columns.map(([heading]) => heading)],
        rows.map(({ name, figures }) => [name, ...columns.map(([, cell]) => cell(figures))]),
      ),
      ...rows.flatMap(({ name, figures }) => faultsOf(name, figures)),
    );
  }
  lines.push('', 'used:', ...sessions.map(({ name, set }) => `  ${name} (${set})`));
  const reasons = Map.groupBy(skipped, ({ reason }) => reason.replace(/\d+ tokens/, '… tokens'));
  lines.push(
    'not used:',
    ...[...reasons].map(([reason, all]) => `  ${reason}: ${all.map(({ name }) => name).join(', ')}`),
  );
  return lines;
}

function faultsOf(name: string, { brokenRules, unsendableSteps }: Figures): string[] {
  const broken = Object.entries(brokenRules).filter(([, steps]) => steps > 0);
  if (broken.length === 0 && unsendableSteps === 0) return [];
  const rules = broken.map(([rule, steps]) => `${rule} ${steps}`);
  if (unsendableSteps > 0) rules.push(`nothing to send ${unsendableSteps}`);
  return [`  ${name}, invalid steps by rule: ${rules.join(', ')}`];
}
