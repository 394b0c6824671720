import type { TraceRun } from '@throughline/client';

/** A run that is on two pages is one run. */
export function joinedRuns(runs: readonly TraceRun[]): readonly TraceRun[] {
  const joined: TraceRun[] = [];
  for (const run of runs) {
    const at = run.runId === null ? -1 : joined.findLastIndex(({ runId }) => runId === run.runId);
    const before = joined[at];
    if (before)
      joined[at] = {
        ...before,
        outcome: run.outcome ?? before.outcome,
        durationMs: run.durationMs ?? before.durationMs,
        steps: [...before.steps, ...run.steps],
        notes: [...before.notes, ...run.notes],
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
