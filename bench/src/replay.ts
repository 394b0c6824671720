/**
 * Replays recorded sessions with every strategy and prints what each would have kept and cost.
 *
 *   npm run bench:replay -- DIR [--budget 20k,40k,80k] [--steps N] [--only NAME] [--no-usage] [--no-peers] [--json]
 */
import { createBpeEstimator } from '@throughline/tokenizers';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addTally, createTally, figuresOf } from './replay/tally.ts';
import { contendersFor } from './replay/contenders.ts';
import { createTokenCount } from './metrics/token-count.ts';
import { reasonToSkip } from './replay/reason-to-skip.ts';
import { planSteps } from './replay/plan-steps.ts';
import { printReplay } from './replay/print-replay.ts';
import { readSessions, setNames } from './replay/read-sessions.ts';
import { replaySession } from './replay/replay-session.ts';
import { writeReport } from './report-file.ts';
import type { BudgetReport, ReplayReport, SessionReport } from './replay/print-replay.ts';
import type { Contender } from './replay/contender.ts';
import type { ReplaySetting } from './replay/replay-session.ts';
import type { SessionPlan } from './replay/plan-steps.ts';
import type { Tally } from './replay/tally.ts';

const windowTokens = 200_000;
const outputReserveTokens = 32_000;
const defaultFolder = join(import.meta.dirname, '../../../shared/data');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    budget: { type: 'string', default: '20k,40k,80k' },
    steps: { type: 'string', default: '400' },
    only: { type: 'string', multiple: true },
    'no-usage': { type: 'boolean', default: false },
    'no-peers': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const folder = resolve(positionals[0] ?? process.env['THROUGHLINE_SESSIONS'] ?? defaultFolder);
if (!existsSync(folder)) {
  process.stderr.write(`There is no folder ${folder}. Name one: npm run bench:replay -- DIR\n`);
  process.exit(1);
}
const report = await runReplay();
const path = writeReport('replay', report);
process.stdout.write(
  values.json ? `${JSON.stringify(report)}\n` : `${printReplay(report)}\n\nReport: ${path}\n`,
);
process.exit(0);

async function runReplay(): Promise<ReplayReport> {
  const startedAt = performance.now();
  const bpe = await createBpeEstimator('o200k_base');
  const { sessions, skipped } = await readSessions(folder);
  const maxSteps = positive('--steps', values.steps);
  const budgets = values.budget.split(',').map((text) => positive('--budget', text));
  const { contenders, notes } = await contendersFor({
    windowTokens,
    reportsUsage: !values['no-usage'],
    withPeers: !values['no-peers'],
    only: values.only ?? [],
  });
  const results = budgets.map((budgetTokens) => ({
    budgetTokens,
    sessions: [] as SessionReport[],
    skipped: [...skipped],
  }));
  // Session by session: what one of them needs in memory goes before the next is read.
  for (const session of sessions) {
    const plan = planSteps(session, maxSteps);
    const tokensOf = createTokenCount(bpe);
    const outsideTokens = Math.round(bpe.count(session.outside));
    for (const result of results) {
      const { budgetTokens } = result;
      const reason = reasonToSkip(plan, tokensOf, budgetTokens);
      if (reason !== undefined) {
        result.skipped.push({ name: session.name, reason });
        continue;
      }
      const setting = { budgetTokens, windowTokens, outputReserveTokens, tokensOf, outsideTokens };
      const tallies: Record<string, Tally> = {};
      for (const contender of contenders) tallies[contender.name] = await replay(plan, contender, setting);
      const { name, set, format } = session;
      result.sessions.push({ name, set, format, tallies });
    }
    if (process.stderr.isTTY) process.stderr.write(`  ${session.name}\n`);
  }
  return {
    folder,
    windowTokens,
    outputReserveTokens,
    maxSteps,
    reportsUsage: !values['no-usage'],
    seconds: (performance.now() - startedAt) / 1_000,
    notes,
    budgets: results.map((result) => withSets(result, contenders)),
  };
}

async function replay(plan: SessionPlan, contender: Contender, setting: ReplaySetting): Promise<Tally> {
  try {
    return await replaySession(plan, contender, setting);
  } catch (error) {
    throw new Error(`${contender.name} failed on ${plan.session.name}`, { cause: error });
  }
}

function withSets(
  { budgetTokens, sessions, skipped }: Omit<BudgetReport, 'sets'>,
  contenders: readonly Contender[],
): BudgetReport {
  const sets = (['all', ...setNames] as const).flatMap((set) => {
    const members = sessions.filter((session) => set === 'all' || session.set === set);
    if (members.length === 0) return [];
    const rows = contenders.map(({ name }) => {
      const sum = createTally();
      for (const { tallies } of members) addTally(sum, tallies[name] ?? createTally());
      return { name, figures: figuresOf(sum, budgetTokens) };
    });
    return [{ set, sessions: members.length, rows }];
  });
  return { budgetTokens, sessions, skipped, sets };
}

function positive(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(k?)$/i.exec(text.trim());
  const value = match ? Number(match[1]) * (match[2] === '' ? 1 : 1_000) : Number.NaN;
  if (value > 0) return value;
  process.stderr.write(`Expected a number like 400 or 20k for ${option}, got "${text}".\n`);
  process.exit(1);
}
