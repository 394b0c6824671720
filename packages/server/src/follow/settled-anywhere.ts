import { systemTimer } from '@throughline/ports';
import type { AgentSession, RunOutcome } from '@throughline/agent';
import type { SessionStore } from '@throughline/ports';

interface Settling {
  readonly session: AgentSession;
  readonly store: Pick<SessionStore, 'journal'>;
  /** Who asks is gone. */
  readonly signal: AbortSignal;
}

/** The end of a run of another process is told; where it is not, it is looked for. */
const lookMs = 1_000;

/**
 * Resolves when no run of the session is open, in whatever process: how the last one ended, `null` where there was none.
 *
 * @throws {ContextError} `not-found` where the session is deleted meanwhile
 */
export async function settledAnywhere({ session, store, signal }: Settling): Promise<RunOutcome | null> {
  for (;;) {
    const own = await session.settled();
    const told = Promise.withResolvers<void>();
    using _ = session.subscribe(({ type }) => {
      if (type === 'run:end') told.resolve();
    });
    const last = (await store.journal.runs(session.id)).at(-1);
    if (!last) return own;
    if (last.endedAtMs !== null) return last.outcome as RunOutcome | null;
    const looked = new AbortController();
    await Promise.race([told.promise, systemTimer.wait(lookMs, AbortSignal.any([signal, looked.signal]))]);
    looked.abort();
    if (signal.aborted) return own;
  }
}
