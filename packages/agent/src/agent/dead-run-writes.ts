import { newEvent } from '../events/agent-event.ts';
import type { Json } from '@throughline/core';
import type { RunWrite, StoredRun } from '@throughline/ports';
import type { RunOutcome } from '../events/agent-event.ts';
import type { RunContext } from '../turn/run-context.ts';

/** Ends the runs that dead processes have left and that nobody goes on with: the session goes on with this one. */
export function deadRunWrites(
  runs: readonly StoredRun[],
  { options: { clock }, runId: own }: RunContext,
): readonly RunWrite[] {
  const left = runs.filter(({ id, endedAtMs }) => endedAtMs === null && id !== own);
  const outcome: RunOutcome = { type: 'lost' };
  return left.flatMap(({ id: runId, startedAtMs }): readonly RunWrite[] => {
    const durationMs = Math.max(0, clock.nowMs() - startedAtMs);
    return [
      { type: 'run-ended', runId, outcome: outcome satisfies Json },
      { type: 'event', event: newEvent('run:end', { runId, outcome, durationMs }, { runId }) },
    ];
  });
}
