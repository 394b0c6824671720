import { ContextError, stateAt } from '@throughline/core';
import { stateBehind } from '@throughline/core/internal';
import { hashesOfRequest, stepRequestOf } from '../view/step-request.ts';
import { SessionContext } from '../view/session-context.ts';
import { traceOf } from '../trace/trace-of.ts';
import type { StoredEvent } from '@throughline/ports';
import type { AgentEvents } from '@throughline/protocol/types';
import type { AgentSetup } from '../options/agent-options.ts';
import type { ContextSetup } from '../view/context-setup.ts';
import type { TracePage, TraceQuery } from '../trace/trace-of.ts';
import type { RebuiltRequest } from './agent-session.ts';
import type { KeptSession } from './find-message.ts';

/** The request of a step as it was sent: made anew from the history and the compactions that were in force then. */
export async function rebuildRequest(
  { store, sessionId }: KeptSession,
  { options, setup }: { readonly options: AgentSetup; readonly setup: ContextSetup },
  seq: number,
): Promise<RebuiltRequest> {
  const event = (await store.journal.after(sessionId, seq - 1, 1))[0];
  if (event?.seq !== seq || event.type !== 'step:start') throw noStep(seq);
  const { step, provider, model, request: sent } = event.data as unknown as AgentEvents['step:start'];
  const told = { seq, runId: event.runId, step, provider, model };
  if (!sent) return { ...told, request: null, isExact: false, differsIn: ['not-recorded'] };
  using context = await SessionContext.load({ store, sessionId }, setup);
  const checkpoints = (await store.history.checkpoints(sessionId)).map(({ checkpoint }) => checkpoint);
  const { head, historyLength } = sent;
  const state = stateAt(stateBehind(context.state, checkpoints, head), checkpoints, historyLength);
  const view = await context.viewAt(state, historyLength);
  const { request } = stepRequestOf(context, view, {
    sessionId,
    notes: sent.notes,
    isLast: sent.isLast,
    maxOutputTokens: sent.maxOutputTokens ?? undefined,
    request: options.request,
  });
  const isExact = hashesOfRequest(request).hash === sent.hash;
  return { ...told, request, isExact, differsIn: isExact ? [] : differencesOf(told, setup) };
}

/** What is known to be another one now; where nothing is, system text, tools or pins have changed since. */
function differencesOf(
  { provider, model }: { readonly provider: string; readonly model: string },
  { driver }: ContextSetup,
): RebuiltRequest['differsIn'] {
  const isSame = driver.provider === provider && driver.model === model;
  return isSame ? ['settings'] : ['model'];
}

function noStep(seq: number): ContextError<'not-found'> {
  const details = { kind: 'step', id: String(seq), known: [] };
  return new ContextError('not-found', `No step began with the event ${seq}.`, details);
}

const stepsPerPage = 50;
const eventsPerRead = 500;

/** What happened in a session, some steps at a time. */
export async function readTrace(
  { store, sessionId }: KeptSession,
  { after = 0, limit = stepsPerPage }: TraceQuery,
): Promise<TracePage> {
  const events: StoredEvent[] = [];
  for (let seq = after; ;) {
    const read = await store.journal.after(sessionId, seq, eventsPerRead);
    for (const event of read) events.push(event);
    const page = traceOf(events, { limit });
    const last = read.at(-1);
    if (page.next !== null || !last || read.length < eventsPerRead) return page;
    seq = last.seq;
  }
}
