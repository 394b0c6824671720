import { contenderRow } from './contender-row.ts';
import { figuresOf } from '@throughline/replay';
import { judge } from './goals.ts';
import { setNames } from '../sessions/read-sessions.ts';
import type { ContenderRow } from './contender-row.ts';
import type { Figures } from '@throughline/replay';
import type { FailedTask, Ran } from '../replay/run-tasks.ts';
import type { Judged } from './goals.ts';
import type { Miss } from '../replay/miss-log.ts';
import type { ReplayOptions } from '../replay/replay-options.ts';
import type { SetName, Skipped } from '../sessions/read-sessions.ts';
import type { SurveyedSession, TaskResult } from '../replay/session-replays.ts';

export interface SetReport {
  readonly set: SetName;
  readonly budgetTokens: number;
  readonly sessions: readonly string[];
  /** Sessions of the set that never grow above B, or are too short. */
  readonly leftOut: number;
  readonly rows: readonly ContenderRow[];
  readonly goals: readonly Judged[];
}

interface SessionRow {
  readonly session: string;
  readonly budgetTokens: number;
  readonly contender: string;
  readonly figures: Figures;
}

export interface MissRow extends Miss {
  readonly session: string;
  readonly budgetTokens: number;
  readonly contender: string;
}

export interface ReplayReport {
  readonly version: 2;
  readonly options: ReplayOptions;
  readonly seconds: number;
  readonly peerVersions: Readonly<Record<string, string>>;
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
  readonly failed: readonly FailedTask[];
  readonly sessions: readonly SurveyedSession[];
  readonly skipped: readonly Skipped[];
  readonly sets: readonly SetReport[];
  readonly sessionRows: readonly SessionRow[];
  readonly misses: readonly MissRow[];
}

interface ReportInput {
  readonly options: ReplayOptions;
  readonly ran: Ran;
  readonly seconds: number;
  readonly peerVersions: Readonly<Record<string, string>>;
}

/** Everything a run measured, in one value. */
export function replayReport({ options, ran, seconds, peerVersions }: ReportInput): ReplayReport {
  const { survey, results, failed } = ran;
  return {
    version: 2,
    options,
    seconds,
    peerVersions,
    notes: survey.notes,
    failed,
    sessions: survey.sessions,
    skipped: survey.skipped,
    sets: setNames.flatMap((set) => setReports(set, options.budgets, ran)),
    sessionRows: results.map(({ session, budgetTokens, contender, sums }) => ({
      session,
      budgetTokens,
      contender,
      figures: figuresOf(sums),
    })),
    misses: results.flatMap(({ session, budgetTokens, contender, misses }) =>
      misses.map((miss) => ({ session, budgetTokens, contender, ...miss })),
    ),
  };
}

/** A set at one B, before it is judged. */
interface Measured {
  readonly set: SetName;
  readonly budgetTokens: number;
  readonly sessions: readonly SurveyedSession[];
  readonly leftOut: number;
  readonly rows: readonly ContenderRow[];
  readonly results: readonly TaskResult[];
}

function setReports(set: SetName, budgets: readonly number[], ran: Ran): SetReport[] {
  const all = budgets.map((budget) => measured(set, budget, ran)).filter(({ rows }) => rows.length > 0);
  return all.map((one) => {
    const isAlike = (other: Measured): boolean =>
      other.sessions.length === one.sessions.length &&
      other.sessions.every((session) => one.sessions.includes(session));
    const { results, ...report } = one;
    return {
      ...report,
      sessions: one.sessions.map(({ name }) => name),
      goals: judge({ ...one, results, rowsOfAll: all.filter(isAlike).flatMap(({ rows }) => rows) }),
    };
  });
}

function measured(set: SetName, budgetTokens: number, { survey, results }: Ran): Measured {
  const all = survey.sessions.filter((session) => session.set === set);
  const sessions = all.filter(({ skippedAt }) => skippedAt.every((one) => one.budgetTokens !== budgetTokens));
  const names = new Set(sessions.map(({ name }) => name));
  const here = results.filter((one) => one.budgetTokens === budgetTokens && names.has(one.session));
  const rows = survey.contenders.flatMap(({ name, kind }) => {
    const own = here.filter(({ contender }) => contender === name);
    return own.length === 0 ? [] : [contenderRow(name, kind, own)];
  });
  return { set, budgetTokens, sessions, leftOut: all.length - sessions.length, rows, results: here };
}
