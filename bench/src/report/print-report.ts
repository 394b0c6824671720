import { formatNumber, formatTable, formatThousands } from '../table.ts';
import { missTable } from './miss-table.ts';
import type { Cell } from '../table.ts';
import type { ContenderRow, RatioName } from './contender-row.ts';
import type { ReplayReport, SetReport } from './replay-report.ts';

type Column = readonly [heading: string, cell: (row: ContenderRow) => Cell];

const share = (value: number): string => formatNumber(value);
const percent = (value: number): string => formatNumber(value * 100, 1);

const recallColumns: readonly Column[] = [
  ['FUR', ({ figures }) => share(figures.recall.all.hit)],
  ['far', (row) => withInterval(row.figures.recall.far.hit, row, 'far')],
  ['far locators', (row) => withInterval(row.figures.recall.locatorFar.hit, row, 'locatorFar')],
  ['no index: far', ({ figures }) => share(figures.recall.far.blanked)],
  ['locators', ({ figures }) => share(figures.recall.locatorFar.blanked)],
  ['no lists: far', ({ figures }) => share(figures.recall.far.bare)],
  ['R-FUR', ({ figures }) => share(figures.recall.all.recalled)],
  ['far', ({ figures }) => share(figures.recall.far.recalled)],
  ['named', ({ figures }) => share(figures.recall.all.named)],
  ['post far', ({ figures }) => share(figures.recall.postFar.hit)],
  ['mean', ({ figures }) => formatThousands(figures.meanTokens)],
  ['max', ({ figures }) => formatThousands(figures.maxTokens)],
  ['cost', ({ figures }) => share(figures.cost.anthropic.inside)],
  ['gaps', ({ figures }) => share(figures.cost.anthropic.recorded)],
  ['OpenAI', ({ figures }) => share(figures.cost.openai.inside)],
  ['flat', ({ figures }) => share(figures.cost.flat.inside)],
  ['user', ({ figures }) => share(figures.userMessages)],
  ['valid %', ({ figures }) => percent(figures.valid)],
];

const otherColumns: readonly Column[] = [
  ['> B', ({ figures }) => figures.stepsAbove],
  ['over W', ({ figures }) => figures.overflowSteps],
  ['util', ({ figures }) => share(figures.utilisation)],
  ['prefix', ({ figures }) => share(figures.prefixKept)],
  ['breaks', ({ figures: { breaks, silentBreaks } }) => `${breaks} (${silentBreaks})`],
  ['rewritten', ({ figures }) => formatThousands(figures.rewrittenTokens)],
  ['calls', ({ figures }) => figures.summaryCalls],
  ['in bound', ({ figures }) => share(figures.userMessagesInBound)],
  ['rules', ({ figures }) => share(figures.ruleSentences)],
  ['files', ({ figures }) => share(figures.files)],
  ['precision', ({ figures }) => share(figures.filePrecision)],
  ['error', ({ figures }) => share(figures.unresolvedErrors)],
  ['coverage', ({ figures }) => share(figures.coverage)],
  ['by model', ({ figures }) => share(figures.coverageBySummariser)],
  ['restored', ({ figures }) => share(figures.reversibility)],
  [
    'not same',
    ({ figures: { determinismFaults, determinismChecks } }) => `${determinismFaults}/${determinismChecks}`,
  ],
  ['accepted %', ({ figures }) => percent(figures.accepted)],
  ['own faults', ({ figures }) => figures.ownFaults],
  ['macro', ({ figures }) => share(figures.macroRecall)],
  ['ms', ({ figures }) => formatNumber(figures.stepMs, 1)],
];

/** The figure, with the half width of its interval: sessions resampled where there are enough, else steps. */
function withInterval(value: number, { bySession, byStep }: ContenderRow, name: RatioName): string {
  const interval = bySession[name] ?? byStep[name];
  return interval === undefined
    ? share(value)
    : `${share(value)} [${interval.map((end) => share(end)).join('–')}]`;
}

const legend = `FUR: share of the entities in the arguments of the next calls that the context still names (M2). far: last named more
than 20 messages before; locators: in arguments of at most 300 characters; [–]: 95 %, sessions resampled (steps, where
there are fewer than 3 sessions). no index: the index behind placeholders taken out; no lists: the names and
numbers behind a record, too.
R-FUR: also by one recall of at most 2 000 tokens through a handle in the context; named: without handles that lie only
within a range. post far: from the first eviction on. mean, max: tokens sent (o200k + 4 per message). cost: prompt
cache of Anthropic, every call within its lifetime, summariser calls included, relative to no management; gaps: with the
recorded gaps; OpenAI; flat: no cache. user: the user's messages verbatim (M6). valid: all rules of M1.
> B: steps above the budget; over W: above the window with the answer's reserve; util: mean/B after the first trigger;
prefix: share of the former request still cached; breaks (n): n without a compaction (peers announce none); calls: of the
summariser; in bound, rules, files (recall, precision), error: M6–M8; coverage, by model: M10; restored: M11; not same:
M12, faults/checks; accepted: by the rules the provider enforces; own faults: steps with a fault the recording lacks.`;

interface PrintOptions {
  /** Only the recall tables. */
  readonly isBrief: boolean;
}

/** The report as text: for each set and B its tables and goals, then which sessions were used. */
export function printReport(report: ReplayReport, { isBrief }: PrintOptions): string {
  const { options, seconds, notes, failed, sets } = report;
  const lines = [
    `Replay of ${options.folders.join(', ')} in ${seconds.toFixed(0)} s. W = ${formatThousands(options.windowTokens)}, ` +
      `B = trigger, target of ours 0.55·B, below 40k up to 0.8·B. The engine is ${options.reportsUsage ? 'told what each request measured, as servers do' : 'told no usage'}.`,
    ...notes,
    ...failed.map(
      ({ task, reason }) => `FAILED: ${task.contender} on ${task.session} at ${task.budgetTokens}: ${reason}`,
    ),
    ...(isBrief ? [] : ['', legend]),
  ];
  for (const set of sets) lines.push('', ...printSet(set, report, isBrief));
  if (!isBrief) lines.push('', ...printSessions(report));
  return lines.join('\n');
}

function printSet(set: SetReport, report: ReplayReport, isBrief: boolean): string[] {
  const first = set.rows[0];
  if (!first) return [];
  const { uses, farUses, locatorFarUses } = first.figures;
  const used = report.sessions.filter(({ name }) => set.sessions.includes(name));
  const steps = used.reduce((sum, session) => sum + session.steps, 0);
  const tokens = used.reduce((sum, session) => sum + session.tokens, 0);
  const title =
    `━━ ${set.set} at B = ${formatThousands(set.budgetTokens)}: ${used.length} sessions longer than B ` +
    `(${set.leftOut} not), ${formatThousands(tokens)} tokens, ${steps} steps, ${uses} uses, ${farUses} far, ` +
    `${locatorFarUses} far locators ━━`;
  const table = (columns: readonly Column[]): string =>
    formatTable(
      ['', ...columns.map(([heading]) => heading)],
      set.rows.map((row) => [row.contender, ...columns.map(([, cell]) => cell(row))]),
    );
  if (isBrief) return [title, table(recallColumns)];
  return [
    title,
    table(recallColumns),
    '',
    table(otherColumns),
    ...set.rows.flatMap(faultsOf),
    ...printGoals(set),
    ...missTable(report.misses, set),
  ];
}

function faultsOf({ contender, figures: { brokenRules, unsendable } }: ContenderRow): string[] {
  const rules = Object.entries(brokenRules).map(([rule, steps]) => `${rule} ${steps}`);
  if (unsendable > 0) rules.push(`nothing to send ${unsendable}`);
  return rules.length === 0 ? [] : [`  ${contender}, steps that break a rule: ${rules.join(', ')}`];
}

/** How many goals each of ours reaches; which ones the first of them, the default strategy, misses. */
function printGoals({ goals }: SetReport): string[] {
  const byContender = [...Map.groupBy(goals, ({ contender }) => contender)];
  const counts = byContender.map(([contender, all]) => {
    const reached = all.filter(({ isReached }) => isReached).length;
    return `${contender.replace('ours: ', '')} ${reached} of ${all.length}`;
  });
  const [first, all = []] = byContender[0] ?? [];
  const missed = all.filter(({ isReached }) => !isReached);
  return [
    `  goals reached: ${counts.join('; ')}`,
    ...missed.map(({ goal, measured }) => `    ${first} misses ${goal}: ${measured}`),
  ];
}

function printSessions({ sessions, skipped, options }: ReplayReport): string[] {
  const rows = sessions
    .filter(({ skippedAt }) => skippedAt.length < options.budgets.length)
    .map(({ name, set, format, tokens, steps, timed, skippedAt }) => [
      name,
      set,
      format,
      formatThousands(tokens),
      steps,
      percent(timed),
      options.budgets
        .filter((budget) => skippedAt.every(({ budgetTokens }) => budgetTokens !== budget))
        .map(formatThousands)
        .join(' '),
    ]);
  const reasons = [
    ...skipped,
    ...sessions
      .filter(({ skippedAt }) => skippedAt.length === options.budgets.length)
      .map(({ name, skippedAt }) => ({ name, reason: skippedAt[0]?.reason ?? '' })),
  ];
  return [
    formatTable(['session', 'set', 'format', 'tokens', 'steps', 'timed %', 'used at'], rows),
    '',
    'not used at any B:',
    ...reasons.map(({ name, reason }) => `  ${name}: ${reason}`),
  ];
}
