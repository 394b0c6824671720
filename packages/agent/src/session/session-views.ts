import { checkpointsTo, noCheckpoint, stateBehind } from '@throughline/core/internal';
import { contextSetupOf } from '../view/context-setup.ts';
import { readCompactionCost } from '../view/compaction-cost.ts';
import { SessionContext } from '../view/session-context.ts';
import { canTakeBack, nothingToDo, outcomeOf } from './session-compaction.ts';
import type { Strategy } from '@throughline/core';
import type { ModelDriver, StoredCheckpoint } from '@throughline/ports';
import type { ShownMessage, WhatIf } from '@throughline/protocol/types';
import type { AgentSetup } from '../options/agent-options.ts';
import type { ContextSetup } from '../view/context-setup.ts';
import type { AgentSession, CheckpointTree, ComparedViews, SessionSetup } from './agent-session.ts';
import type { KeptSession } from './find-message.ts';

/** All compactions of a session, and which of them count. */
export async function checkpointTree(from: KeptSession, setup: ContextSetup): Promise<CheckpointTree> {
  const { store, sessionId } = from;
  const { headCheckpoint: head } = await store.sessions.read(sessionId);
  const stored = await store.history.checkpoints(sessionId);
  const inForce = new Set(
    checkpointsTo(
      stored.map(({ checkpoint }) => checkpoint),
      head,
    ),
  );
  const newest = stored.find(({ checkpoint }) => checkpoint.id === head);
  const hasUndo = newest !== undefined && (await hasUndoOf(from, setup, newest));
  const checkpoints = stored.map((one) => {
    const { id, parent } = one.checkpoint;
    const cost = readCompactionCost(one.cost);
    const canUndo = one === newest && hasUndo;
    return { ...one, cost, isInForce: inForce.has(id), canUndo, canRedo: parent === head };
  });
  return { head, checkpoints };
}

async function hasUndoOf(
  from: KeptSession,
  setup: ContextSetup,
  { checkpoint }: StoredCheckpoint,
): Promise<boolean> {
  using context = await SessionContext.load(from, setup);
  return await canTakeBack(context, checkpoint);
}

/** What every request of a session begins with, and what its passes are made with. */
export async function sessionSetup(from: KeptSession, setup: ContextSetup): Promise<SessionSetup> {
  using context = await SessionContext.load(from, setup);
  const { driver, prompt, policy, untoldTools } = context.setup;
  const { windowTokens, limit, triggerTokens } = context.usage();
  return {
    provider: driver.provider,
    model: driver.model,
    codec: driver.codec.name,
    system: prompt.system,
    tools: prompt.tools,
    untoldTools,
    pins: context.pins,
    strategy: policy.strategy.name,
    trigger: policy.strategy.trigger,
    isAutomatic: policy.auto !== false,
    budget: policy.budget,
    windowTokens,
    usableTokens: limit,
    triggerTokens,
    pricing: policy.pricing ?? null,
    hasRecall: policy.hasRecall === true,
    state: context.state,
  };
}

/** Two views of the messages of now. */
export async function compareViews(
  from: KeptSession,
  setup: ContextSetup,
  { before, now }: ComparedViews,
): ReturnType<AgentSession['compare']> {
  using context = await SessionContext.load(from, setup);
  const stored = await from.store.history.checkpoints(from.sessionId);
  const checkpoints = stored.map(({ checkpoint }) => checkpoint);
  const present = context.state;
  const newest = checkpoints.find(({ id }) => id === present.head);
  if (before === undefined && !newest) return undefined;
  const states = [
    now === undefined ? present : stateBehind(present, checkpoints, now),
    stateBehind(present, checkpoints, before === undefined ? (newest?.parent ?? null) : before),
  ];
  const views: (readonly ShownMessage[])[] = [];
  for (const state of states) {
    await context.reload(state.changes);
    context.state = state;
    views.push(shownIn(context));
  }
  const [shownNow = [], shownBefore = []] = views;
  return { now: shownNow, before: shownBefore };
}

function shownIn(context: SessionContext): readonly ShownMessage[] {
  const pins = new Set<number | null>(context.pins);
  return context.rendered().map(({ ordinal = null, isEdited, message }) => {
    return { ordinal, isEdited, isPinned: pins.has(ordinal), message };
  });
}

/** @throws {ContextError} `not-found` for a checkpoint that there is not. */
export async function checkCheckpoint({ store, sessionId }: KeptSession, id: string): Promise<void> {
  const known = (await store.history.checkpoints(sessionId)).map(({ checkpoint }) => checkpoint.id);
  if (!known.includes(id)) throw noCheckpoint(id, known);
}

/** What a compaction would come to under each strategy; code writes the summaries, and nothing is stored. */
export async function whatIf(
  { store, sessionId }: KeptSession,
  { options, driver }: { readonly options: AgentSetup; readonly driver: ModelDriver },
  strategies: readonly Strategy[],
): Promise<readonly WhatIf[]> {
  const results: WhatIf[] = [];
  for (const strategy of strategies) {
    const setup = contextSetupOf({ ...options, summariser: { type: 'code' } }, driver, { strategy });
    using context = await SessionContext.load({ store, sessionId }, setup);
    results.push({ strategy: strategy.name, ...(await tried(context)) });
  }
  return results;
}

async function tried(context: SessionContext): Promise<Omit<WhatIf, 'strategy'>> {
  if (context.historyLength === 0) return { outcome: nothingToDo(context), messagesShown: 0, cost: null };
  const step = await context.prepare({ reason: 'manual' });
  const { messages } = step.type === 'ready' ? context.request(step.view) : context.shown();
  return { outcome: outcomeOf(step), messagesShown: messages.length, cost: step.report.cost };
}
