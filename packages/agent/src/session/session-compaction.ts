import { ContextError, formerState, laterState, redo, undo } from '@throughline/core';
import { newEvent } from '../events/new-event.ts';
import { prepareContext, summaryIn } from '../turn/prepare-context.ts';
import { emitUsage } from '../turn/emit-usage.ts';
import type { CannotFit, Checkpoint, ContextState, Ready } from '@throughline/core';
import type { SessionStore, StoredCheckpoint } from '@throughline/ports';
import type { CompactAnswer } from '@throughline/protocol/types';
import type { RunContext } from '../turn/run-context.ts';
import type { SessionContext } from '../view/session-context.ts';
import type { CompactOptions, RedoOutcome, UndoOutcome } from './agent-session.ts';

/** A compaction because the user wants one. */
export async function compactSession(
  runContext: RunContext,
  { focus }: CompactOptions,
): Promise<CompactAnswer> {
  const { context, writer } = runContext;
  if (context.historyLength === 0) {
    writer.add({ type: 'status', status: 'idle' });
    return nothingToDo(context);
  }
  // Code writes for nothing.
  if (context.setup.summariser) await runContext.account?.admitStep();
  const step = await prepareContext(runContext, {
    signal: runContext.signal,
    reason: 'manual',
    ...(focus === undefined ? {} : { focus }),
  });
  runContext.writer.add({ type: 'status', status: 'idle' });
  return step.type === 'cancelled' ? step : outcomeOf(step);
}

/** What it would come to: nothing is stored. */
export async function previewCompaction(
  context: SessionContext,
  { focus, signal }: CompactOptions,
): Promise<CompactAnswer> {
  if (signal?.aborted) return { type: 'cancelled' };
  if (context.historyLength === 0) return nothingToDo(context);
  const step = await context.prepare({
    reason: 'manual',
    ...(signal ? { signal } : {}),
    ...(focus === undefined ? {} : { focus }),
  });
  return signal?.aborted ? { type: 'cancelled' } : outcomeOf(step);
}

/** A session in which nothing has been said yet has no request that could be made smaller. */
export function nothingToDo(context: SessionContext): CompactAnswer {
  return { type: 'nothing-to-do', tokens: Math.round(context.usage().currentTokens) };
}

export function outcomeOf(step: Ready | CannotFit): CompactAnswer {
  if (step.type === 'cannot-fit') {
    const { usableTokens, requestTokens } = step;
    return { type: 'cannot-fit', usableTokens, requestTokens };
  }
  const { checkpoint, report } = step;
  if (!checkpoint) return { type: 'nothing-to-do', tokens: Math.round(report.tokens.final) };
  return {
    type: 'compacted',
    checkpointId: checkpoint.id,
    tokensBefore: checkpoint.tokensBefore,
    tokensAfter: checkpoint.tokensAfter,
    messagesCompacted: report.messagesCompacted,
    outputsPruned: report.outputsPruned,
    summary: summaryIn(checkpoint.changes)?.text ?? null,
  };
}

/** Takes the newest compaction back: one write of a state. */
export async function undoCompaction(runContext: RunContext): Promise<UndoOutcome> {
  const { context, options, sessionId, writer, runId } = runContext;
  const newest = await newestCheckpoint(options.store, sessionId, context.state.head);
  if (!newest) return { type: 'nothing-to-undo' };
  const { checkpoint } = newest;
  try {
    const state = await stateWithout(context, checkpoint);
    context.state = state;
    const tokensAfter = context.usage().currentTokens;
    await writer.commit(
      { type: 'state', state },
      {
        type: 'event',
        event: newEvent('compaction:undone', { checkpointId: checkpoint.id, tokensAfter }, { runId }),
      },
    );
    context.dropBackground();
    emitUsage(runContext);
    return { type: 'undone', checkpointId: checkpoint.id, tokensAfter };
  } catch (error) {
    await context.reload();
    if (!ContextError.is(error, 'undo-refused')) throw error;
    return { type: 'refused', ...error.details };
  }
}

/** The state before its newest checkpoint, with the messages in memory that it shows. @throws as `undo` does */
async function stateWithout(context: SessionContext, checkpoint: Checkpoint): Promise<ContextState> {
  const present = context.state;
  // The messages that the former view shows are not all in memory.
  await context.reload(formerState(present, checkpoint).changes);
  return undo(context.transcript, present, context.setup.policy, checkpoint);
}

/** Times the usable tokens: a request that was so much larger before a compaction is too large however it is measured. */
const surelyTooLarge = 4;

/** Whether an undo would take back the newest checkpoint of a context that nobody else uses. */
export async function canTakeBack(context: SessionContext, checkpoint: Checkpoint): Promise<boolean> {
  // The whole of a long history, as a file brings it, is not read for an answer that is known.
  if (checkpoint.tokensBefore > surelyTooLarge * context.usage().limit) return false;
  try {
    await stateWithout(context, checkpoint);
    return true;
  } catch (error) {
    if (!ContextError.is(error) || error.code === 'store-failed') throw error;
    return false;
  }
}

/** Puts a compaction that was taken back in force again: one write of a state. */
export async function redoCompaction(runContext: RunContext, checkpointId?: string): Promise<RedoOutcome> {
  const { context, options, sessionId, writer, runId } = runContext;
  const present = context.state;
  const undone = (await options.store.history.checkpoints(sessionId)).findLast(
    ({ checkpoint: { id, parent } }) =>
      parent === present.head && (checkpointId === undefined || id === checkpointId),
  );
  if (!undone) return { type: 'nothing-to-redo' };
  const { checkpoint } = undone;
  await context.reload(laterState(present, checkpoint).changes);
  const state = redo(context.transcript, present, context.setup.policy, checkpoint);
  context.state = state;
  const tokensAfter = context.usage().currentTokens;
  const event = newEvent('compaction:redone', { checkpointId: checkpoint.id, tokensAfter }, { runId });
  await writer.commit({ type: 'state', state }, { type: 'event', event });
  context.dropBackground();
  emitUsage(runContext);
  return { type: 'redone', checkpointId: checkpoint.id, tokensAfter };
}

async function newestCheckpoint(
  store: SessionStore,
  sessionId: string,
  head: string | null,
): Promise<StoredCheckpoint | undefined> {
  if (head === null) return undefined;
  return (await store.history.checkpoints(sessionId)).find(({ checkpoint }) => checkpoint.id === head);
}
