import { createBpeEstimator } from '@throughline/tokenizers';
import { contendersFor } from '../contenders/contenders.ts';
import { createTokenCounter, outsideText, planSteps, replaySession } from '@throughline/replay';
import { createMissLog } from './miss-log.ts';
import { readSessions } from '../sessions/read-sessions.ts';
import { reasonToSkip } from '../sessions/reason-to-skip.ts';
import { createUseRows } from './use-rows.ts';
import type { AllSums, SessionPlan, TokenCounter } from '@throughline/replay';
import type { BenchSession, Skipped } from '../sessions/read-sessions.ts';
import type { Miss } from './miss-log.ts';
import type { ReplayOptions } from './replay-options.ts';
import type { UseRows } from './use-rows.ts';

/** One contender on one session under one budget. */
export interface Task {
  readonly session: string;
  readonly contender: string;
  readonly budgetTokens: number;
}

export interface TaskResult extends Task {
  readonly sums: AllSums;
  /** Uses and hits by step, for resampling. */
  readonly rows: UseRows;
  readonly misses: readonly Miss[];
}

/** What there is to do, and what is left out. */
export interface Survey {
  readonly sessions: readonly SurveyedSession[];
  readonly contenders: readonly { readonly name: string; readonly kind: string }[];
  readonly notes: readonly string[];
  readonly skipped: readonly Skipped[];
}

export interface SurveyedSession extends Pick<BenchSession, 'name' | 'set' | 'format'> {
  readonly tokens: number;
  readonly steps: number;
  /** Share of steps for which the log says when they were. */
  readonly timed: number;
  /** By budget: why it says nothing there. */
  readonly skippedAt: readonly { readonly budgetTokens: number; readonly reason: string }[];
}

/** Reads the sessions and sets up the contenders once; then replays what it is asked for. One in each thread. */
interface SessionReplays {
  survey(): Survey;
  run(task: Task): Promise<TaskResult>;
}

export async function openSessionReplays(options: ReplayOptions): Promise<SessionReplays> {
  const bpe = await createBpeEstimator('o200k_base');
  let counter = createTokenCounter(bpe);
  const textTokens = (text: string): number => counter.ofText(text);
  const { contenders, notes } = await contendersFor({ ...options, textTokens });
  const read = [];
  for (const folder of options.folders) read.push(await readSessions(folder, options.folders.length > 1));
  const sessions = read.flatMap((one) => one.sessions).filter((one) => isWanted(one, options.sets));
  const skipped = read.flatMap((one) => one.skipped);
  let planned: { readonly name: string; readonly plan: SessionPlan } | undefined;

  // What one session needs in memory goes before the next is planned.
  const planFor = (name: string): SessionPlan => {
    if (planned?.name === name) return planned.plan;
    const session = sessions.find((one) => one.name === name);
    if (!session) throw new Error(`There is no session ${name}.`);
    counter = createTokenCounter(bpe);
    const plan = planSteps(session, { maxSteps: options.maxSteps, textTokens });
    planned = { name, plan };
    return plan;
  };
  return {
    survey: () => ({
      sessions: sessions.map((session) => surveyed(session, planFor(session.name), counter, options)),
      contenders: contenders.map(({ name, kind }) => ({ name, kind })),
      notes,
      skipped,
    }),
    async run(task) {
      const plan = planFor(task.session);
      const contender = contenders.find(({ name }) => name === task.contender);
      if (!contender) throw new Error(`There is no contender ${task.contender}.`);
      const { windowTokens, outputReserveTokens } = options;
      const setting = {
        budgetTokens: task.budgetTokens,
        windowTokens,
        outputReserveTokens,
        tokensOf: counter.ofMessage,
        textTokens,
        outsideTokens: textTokens(outsideText(plan.session)),
      };
      const rows = createUseRows();
      const log = createMissLog();
      const sums = await replaySession(plan, contender, setting, (view) => {
        rows.add(view);
        if (options.listsMisses) log.add(view, plan);
      });
      return { ...task, sums, rows: rows.rows, misses: log.misses };
    },
  };
}

function isWanted({ name, set }: BenchSession, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((one) => one === set || name.includes(one));
}

function surveyed(
  { name, set, format }: BenchSession,
  plan: SessionPlan,
  counter: TokenCounter,
  { budgets }: ReplayOptions,
): SurveyedSession {
  const { seen, steps } = plan;
  return {
    name,
    set,
    format,
    tokens: seen.reduce((sum, message) => sum + counter.ofMessage(message), 0),
    steps: steps.length,
    timed: steps.filter(({ gapMs }) => gapMs !== undefined).length / Math.max(1, steps.length),
    skippedAt: budgets.flatMap((budgetTokens) => {
      const reason = reasonToSkip(plan, counter.ofMessage, budgetTokens);
      return reason === undefined ? [] : [{ budgetTokens, reason }];
    }),
  };
}
