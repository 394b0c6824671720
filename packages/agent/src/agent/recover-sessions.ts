import type { UnfinishedSession } from '@throughline/ports';
import type { RunOutcome } from '../events/agent-event.ts';
import type { AgentSetup } from '../options/agent-options.ts';
import type { AgentSession } from './agent.ts';

/**
 * Goes on with what processes that died have left: runs that did not end, and messages that were to start the next run.
 * A lease that is still good is waited for: who holds it may be alive, and then goes on by itself. What is held after a
 * cancel or an error stays held.
 */
export async function recoverSessions(
  setup: AgentSetup,
  sessionOf: (id: string) => AgentSession,
): Promise<readonly AgentSession[]> {
  const left = await setup.store.journal.unfinished();
  const recovered = await Promise.all(left.map((one) => recover(setup, one, sessionOf)));
  return recovered.filter((session) => session !== undefined);
}

async function recover(
  { store, clock, timer }: AgentSetup,
  { sessionId, leasedUntilMs }: UnfinishedSession,
  sessionOf: (id: string) => AgentSession,
): Promise<AgentSession | undefined> {
  const session = sessionOf(sessionId);
  if (session.isRunning) return undefined;
  if (leasedUntilMs !== null) await timer.wait(Math.max(1, leasedUntilMs - clock.nowMs() + 1));
  const last = (await store.journal.runs(sessionId)).at(-1);
  const outcome = last?.outcome as RunOutcome | null | undefined;
  const isHeld = last !== undefined && last.endedAtMs !== null && outcome?.type !== 'completed';
  if (isHeld) return undefined;
  return (await session.resume()) && session;
}
