import { outcomeTrouble } from './trouble.ts';
import type { AgentEvents, Client, RunOutcome } from '@throughline/client';
import type { ConversationState, EndedRun } from './state.ts';

/** The newest so many are read; a session that is used for months has thousands. */
const mostRuns = 1_000;

/** How the runs of a session ended, oldest first. */
export async function readEndedRuns(
  client: Client,
  id: string,
  signal: AbortSignal,
): Promise<readonly EndedRun[]> {
  const { items } = await client.listRuns({ id, limit: mostRuns }, { signal });
  return items.flatMap(({ id: runId, endedAtMs, outcome }) =>
    endedAtMs === null || !isOutcome(outcome) ? [] : [{ id: runId, endedAtMs, outcome }],
  );
}

/** A run of which nothing is known but that it is over, as one that came with an import, has no outcome. */
function isOutcome(outcome: unknown): outcome is RunOutcome {
  return typeof outcome === 'object' && outcome !== null && 'type' in outcome;
}

/** The runs with one more that has ended; the same runs where it is among them. */
export function withEndedRun(
  runs: readonly EndedRun[],
  { runId, outcome }: AgentEvents['run:end'],
  endedAtMs: number,
): readonly EndedRun[] {
  return runs.some(({ id }) => id === runId) ? runs : [...runs, { id: runId, endedAtMs, outcome }];
}

type Opened = Pick<ConversationState, 'session' | 'messages' | 'activity' | 'endedRuns'>;

/**
 * What became of the newest run where nothing answers the last message: who opens the session later is told as those
 * were who looked on.
 */
export function lastOutcome({
  session,
  messages,
  activity,
  endedRuns,
}: Opened): Pick<ConversationState, 'lastOutcome' | 'trouble'> {
  const outcome = endedRuns.at(-1)?.outcome;
  const isAnswered = messages.at(-1)?.role === 'assistant';
  if (activity.type !== 'idle' || isAnswered || !outcome) return { lastOutcome: null, trouble: null };
  return { lastOutcome: outcome, trouble: outcomeTrouble(outcome, session.lastEventSeq) };
}
