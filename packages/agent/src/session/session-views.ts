import { ContextError, formerState, laterState } from '@throughline/core';
import { contextSetupOf } from '../view/context-setup.ts';
import { readCompactionCost } from '../view/compaction-cost.ts';
import { SessionContext } from '../view/session-context.ts';
import { nothingToDo, outcomeOf } from './session-compaction.ts';
import type { Checkpoint, ContextState, Strategy } from '@throughline/core';
import type { ModelDriver, SessionStore } from '@throughline/ports';
import type { AgentSetup } from '../options/agent-options.ts';
import type { ContextSetup } from '../view/context-setup.ts';
import type { AgentSession, CheckpointTree, ComparedViews, ShownMessage, WhatIf } from './agent-session.ts';

interface From {
  readonly store: SessionStore;
  readonly sessionId: string;
}

/** All compactions of a session, and which of them count. */
export async function checkpointTree({ store, sessionId }: From): Promise<CheckpointTree> {
  const { headCheckpoint: head } = await store.sessions.read(sessionId);
  const stored = await store.history.checkpoints(sessionId);
  const inForce = new Set(
    wayTo(
      stored.map(({ checkpoint }) => checkpoint),
      head,
    ),
  );
  const checkpoints = stored.map((one) => {
    const { id, parent } = one.checkpoint;
    const cost = readCompactionCost(one.cost);
    return { ...one, cost, isInForce: inForce.has(id), canUndo: id === head, canRedo: parent === head };
  });
  return { head, checkpoints };
}

/** Two views of the messages of now. */
export async function compareViews(
  from: From,
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

/** The state under a checkpoint, in force or not: back to where the two ways part, and forth from there. */
export function stateBehind(
  state: ContextState,
  checkpoints: readonly Checkpoint[],
  target: string | null,
): ContextState {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const known = (id: string): Checkpoint => {
    const checkpoint = byId.get(id);
    if (checkpoint) return checkpoint;
    throw noCheckpoint(id, [...byId.keys()]);
  };
  if (target !== null) known(target);
  const way = wayTo(checkpoints, target);
  let at = state;
  while (at.head !== null && !way.includes(at.head)) at = formerState(at, known(at.head));
  const left = at.head === null ? way : way.slice(way.indexOf(at.head) + 1);
  return left.reduce((behind, id) => laterState(behind, known(id)), at);
}

/** @throws {ContextError} `not-found` for a checkpoint that there is not. */
export async function checkCheckpoint({ store, sessionId }: From, id: string): Promise<void> {
  const known = (await store.history.checkpoints(sessionId)).map(({ checkpoint }) => checkpoint.id);
  if (!known.includes(id)) throw noCheckpoint(id, known);
}

function noCheckpoint(id: string, known: readonly string[]): ContextError<'not-found'> {
  return new ContextError('not-found', `There is no checkpoint ${id}.`, { kind: 'checkpoint', id, known });
}

/** Ids from the first checkpoint to this one. */
function wayTo(checkpoints: readonly Checkpoint[], target: string | null): readonly string[] {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const way: string[] = [];
  for (let id = target; id !== null && !way.includes(id); id = byId.get(id)?.parent ?? null) way.unshift(id);
  return way;
}

/** What a compaction would come to under each strategy; code writes the summaries, and nothing is stored. */
export async function whatIf(
  { store, sessionId }: From,
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

const neverAborted = new AbortController().signal;

async function tried(context: SessionContext): Promise<Omit<WhatIf, 'strategy'>> {
  if (context.historyLength === 0) return { outcome: nothingToDo(context), messagesShown: 0, cost: null };
  const step = await context.prepare({ signal: neverAborted, reason: 'manual' });
  const { messages } = step.type === 'ready' ? context.request(step.view) : context.shown();
  return { outcome: outcomeOf(step), messagesShown: messages.length, cost: step.report.cost };
}
