import { forgetWindow } from '@throughline/core';
import { wholeRequests } from '@throughline/core/internal';
import { newEvent } from '../events/new-event.ts';
import { prepareContext } from '../turn/prepare-context.ts';
import { SessionContext } from '../view/session-context.ts';
import type { ContextState } from '@throughline/core';
import type { RunContext } from '../turn/run-context.ts';
import type { ContextSetup } from '../view/context-setup.ts';
import type { SwitchOutcome } from './agent-session.ts';

/**
 * Makes the session ready for another model. Where its window is smaller the former model, which can still read
 * everything, writes the summary that is needed; nothing is switched when it would not fit.
 */
export async function switchSession(runContext: RunContext, next: ContextSetup): Promise<SwitchOutcome> {
  const { writer, runId, options, sessionId } = runContext;
  const { setup: former } = runContext.context;
  using context = await SessionContext.load(
    { store: options.store, sessionId, quotas: options.quotas },
    { ...next, summariser: former.summariser, policy: summarisedBy(next, former) },
  );
  context.state = forAnotherModel(context.state);
  // Where nothing has been said there is nothing to make fit.
  const outcome = context.historyLength > 0 ? await fitted(runContext, context, next) : switchedWithout;
  if (outcome.type !== 'switched') return outcome;
  const { provider, model, name } = next.driver;
  const switched = { newConfig: { provider, model }, historyRetained: true };
  // What the summary has taught is about the former model, which wrote it.
  const state = { ...context.state, summariser: null };
  await writer.commit(
    ...(context.state.summariser ? [{ type: 'state' as const, state }] : []),
    { type: 'model', model: name },
    { type: 'event', event: newEvent('llm:switched', switched, { runId }) },
  );
  return outcome;
}

const switchedWithout: SwitchOutcome = { type: 'switched', wasCompacted: false };

/** Makes the request of the next model small enough. */
async function fitted(
  runContext: RunContext,
  context: SessionContext,
  next: ContextSetup,
): Promise<SwitchOutcome> {
  const { setup: former } = runContext.context;
  const isSmaller = next.policy.budget.windowTokens < former.policy.budget.windowTokens;
  const step = await prepareContext(
    { ...runContext, context },
    { signal: runContext.signal, ...(isSmaller ? { reason: 'model-switch' as const } : {}) },
  );
  if (step.type === 'cancelled') return { type: 'busy' };
  if (step.type === 'cannot-fit') {
    const { usableTokens, requestTokens } = step;
    return { type: 'cannot-fit', usableTokens, requestTokens };
  }
  return { type: 'switched', wasCompacted: step.checkpoint !== undefined };
}

/** The session was left with another model (before a restart, by another process): what was learned of that one goes. */
export async function adoptModel(runContext: RunContext): Promise<void> {
  const { context, options, sessionId, writer } = runContext;
  const { provider, model, name } = context.setup.driver;
  const { model: former } = await options.store.sessions.read(sessionId);
  if (former === name) return;
  context.state = forAnotherModel(context.state);
  writer.add({ type: 'state', state: context.state }, { type: 'model', model: name });
  // A session that had none begins with this one.
  if (former !== null)
    runContext.emit('llm:switched', { newConfig: { provider, model }, historyRetained: true });
}

/** Its tokens are counted by another tokenizer, and its limits are its own. */
function forAnotherModel(state: ContextState): ContextState {
  return { ...forgetWindow(state, 'discovered'), calibration: wholeRequests, usage: null, summariser: null };
}

function summarisedBy({ policy }: ContextSetup, former: ContextSetup): ContextSetup['policy'] {
  const { summariser } = former.policy;
  if (!summariser) return policy;
  if (summariser.type !== 'model') return { ...policy, summariser };
  // A question behind the session's messages is asked in the form of the former model, which is not sent any more.
  const { windowTokens = former.policy.budget.windowTokens } = summariser;
  return { ...policy, summariser: { ...summariser, windowTokens, canUseCachedPrefix: false } };
}
