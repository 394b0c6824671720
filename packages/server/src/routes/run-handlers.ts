import { ContextError } from '@throughline/core';
import { RequestRefused } from '../problem-of.ts';
import { sessionOf, untilGone } from './handler.ts';
import { systemTimer } from '@throughline/ports';
import type { AgentSession, RunOutcome } from '@throughline/agent';
import type { Handlers } from './handler.ts';
import type { SessionStore } from '@throughline/ports';

type RunHandlers = Pick<
  Handlers,
  'listRuns' | 'cancelRun' | 'resumeRun' | 'settleRun' | 'listApprovals' | 'answerApproval'
>;

export const runHandlers: RunHandlers = {
  async listRuns({ params: { id }, query }, around) {
    await sessionOf(around, id);
    const runs = await around.services.agent.store.journal.runs(id, query);
    const items = runs.map((run) => ({
      id: run.id,
      startedAtMs: run.startedAtMs,
      endedAtMs: run.endedAtMs,
      outcome: run.outcome,
    }));
    return { status: 200, body: { items } };
  },

  async cancelRun({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    await session.cancel();
    return { status: 200, body: { ok: true } };
  },

  async resumeRun({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const resumed = await session.resume();
    return { status: 202, body: { ok: true, runId: resumed?.runId ?? null } };
  },

  async settleRun({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    const { store } = around.services.agent;
    const signal = AbortSignal.any([around.stopping, around.gone]);
    const settled = settledAnywhere({ session, store, signal });
    return { status: 200, body: { ok: true, outcome: await untilGone(settled, around) } };
  },

  async listApprovals({ params: { id } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: { items: await session.approvals.pending() } };
  },

  async answerApproval({ params: { id, approvalId }, body }, around) {
    const session = await sessionOf(around, id);
    // What is allowed always is allowed in every session, those of other owners too.
    if (body.type === 'allow' && body.scope === 'always' && around.caller.owner !== '')
      throw new RequestRefused('invalid-request', 'What one owner allows does not hold for the others.', {
        faults: [{ path: '/scope', message: 'expected once or session' }],
      });
    if (await session.approvals.answer(approvalId, body)) return { status: 200, body: { ok: true } };
    throw new ContextError('not-found', `No question ${approvalId} is pending (any more).`, {
      kind: 'approval',
      id: approvalId,
      known: (await session.approvals.pending()).map((request) => request.id),
    });
  },
};

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
async function settledAnywhere({ session, store, signal }: Settling): Promise<RunOutcome | null> {
  for (;;) {
    const own = await session.settled();
    const told = Promise.withResolvers<void>();
    using _ = session.subscribe(({ type }) => {
      if (type === 'run:end') told.resolve();
    });
    const [last] = await store.journal.runs(session.id, { limit: 1 });
    if (!last) return own;
    if (last.endedAtMs !== null) return last.outcome as RunOutcome | null;
    const looked = new AbortController();
    await Promise.race([told.promise, systemTimer.wait(lookMs, AbortSignal.any([signal, looked.signal]))]);
    looked.abort();
    if (signal.aborted) return own;
  }
}
