import { SessionApprovals } from '../approvals/approvals.ts';
import { newEvent } from '../events/new-event.ts';
import type { Json } from '@throughline/core/codec';
import type { SessionStore, StoredEvent } from '@throughline/ports';
import type { ApprovalAnswer, ApprovalRequest, Grant } from '@throughline/protocol/types';
import type { ApprovalStore } from '../approvals/approvals.ts';
import type { AgentSetup } from '../options/agent-options.ts';
import type { BatchWriter } from '../stream/batch-writer.ts';

interface LiveApprovalsOptions {
  readonly sessionId: string;
  readonly publish: (events: readonly StoredEvent[]) => void;
  /** What the run that asks writes with; nobody asks without one. */
  readonly writer: () => BatchWriter | undefined;
  /** Aborted when another process has stored something. */
  readonly news: () => AbortSignal;
}

/** Another process may be the one that is answered: it is looked for so often. */
const answerPauseMs = 1_000;

/** Approvals of a session that is open in this process. */
export function liveApprovals(options: AgentSetup, session: LiveApprovalsOptions): SessionApprovals {
  const { store, clock, timer, ids } = options;
  const approvals = new SessionApprovals({
    store: sessionApprovals(store, session, () => approvals.isWaiting),
    isAttended: () => options.approvals?.isAttended?.(session.sessionId) ?? false,
    nowMs: () => clock.nowMs(),
    newId: () => ids.nextId('approval'),
    pause: (signal) => timer.wait(answerPauseMs, AbortSignal.any([signal, session.news()])),
    // Those of now: they are settings.
    rules: () => options.approvals?.rules,
  });
  return approvals;
}

/**
 * Approvals of one session in its store: asked under the lease of the run, answered by whoever is there. The session
 * waits as long as one of its questions does.
 */
function sessionApprovals(
  store: SessionStore,
  { sessionId, publish, writer }: LiveApprovalsOptions,
  isWaiting: () => boolean,
): ApprovalStore {
  const ask = async (request: ApprovalRequest): Promise<void> => {
    const event = newEvent('approval:requested', { request });
    await writer()?.commit(
      { type: 'approval', id: request.id, request: asJson(request) },
      { type: 'status', status: 'waiting' },
      { type: 'event', event },
    );
  };
  const answerIt = async (request: ApprovalRequest, answer: ApprovalAnswer): Promise<void> => {
    const reply = { id: request.id, answer: asJson(answer) };
    const told = await store.approvals.answer(sessionId, reply, () => [
      newEvent('approval:resolved', { request, answer }),
    ]);
    if (told) publish(told.events);
  };
  const useUp = async (id: string): Promise<void> => {
    const status = isWaiting() ? 'waiting' : 'running';
    await writer()?.commit({ type: 'approval-used', id }, { type: 'status', status });
  };
  return {
    async load() {
      const stored = await store.approvals.list(sessionId);
      return stored.map(({ request, answer }) => ({
        request: request as unknown as ApprovalRequest,
        ...(answer === undefined ? {} : { answer: answer as unknown as ApprovalAnswer }),
      }));
    },
    async put({ request, answer, isUsed }) {
      if (!answer) return await ask(request);
      // A run that has left its session answers nothing: whoever goes on with it waits for the user.
      if (isUsed === true && writer()?.isClosed === true) return;
      await answerIt(request, answer);
      if (isUsed === true) await useUp(request.id);
    },
    async takeUp() {
      await writer()?.commit({ type: 'status', status: 'waiting' });
    },
    async grants() {
      return (await store.approvals.grants(sessionId)) as unknown as readonly Grant[];
    },
    addGrant: (grant, scope) => store.approvals.grant(sessionId, asJson(grant), scope),
  };
}

/** Requests, answers and grants are plain JSON by their contract. */
function asJson(value: ApprovalRequest | ApprovalAnswer | Grant): Json {
  return value as unknown as Json;
}
