import type { TraceRun } from '@throughline/client';

/** A run that is on two pages is one run. */
export function joinedRuns(runs: readonly TraceRun[]): readonly TraceRun[] {
  const joined: TraceRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last && run.runId !== null && last.runId === run.runId)
      joined[joined.length - 1] = {
        ...last,
        outcome: run.outcome ?? last.outcome,
        durationMs: run.durationMs ?? last.durationMs,
        steps: [...last.steps, ...run.steps],
        notes: [...last.notes, ...run.notes],
      };
    else joined.push(run);
  }
  return joined;
}

/** The number of each run; `null` for what belongs to none, as a compaction by hand, which has neither beginning nor step. */
export function runNumbers(runs: readonly TraceRun[]): readonly (number | null)[] {
  let count = 0;
  return runs.map(({ runId, startedAtMs, outcome, steps }) => {
    const isRun = runId !== null && (startedAtMs !== null || outcome !== null || steps.length > 0);
    return isRun ? (count += 1) : null;
  });
}
