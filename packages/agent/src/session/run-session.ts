import { ContextError } from '@throughline/core';
import { errorMessage } from '@throughline/core/internal';
import { newEvent } from '../events/new-event.ts';
import { workOn } from '../lease/work-on-session.ts';
import { pruneContext } from '../turn/prepare-context.ts';
import { runTurn } from '../turn/run-turn.ts';
import { adoptModel } from './switch-session.ts';
import type { Json } from '@throughline/core/codec';
import type { RunWrite, StoredRun } from '@throughline/ports';
import type { RunOutcome } from '@throughline/protocol/types';
import type { HeldSession } from '../lease/work-on-session.ts';
import type { RunContext } from '../turn/run-context.ts';

interface RunOptions {
  readonly runId: string;
  /** It goes on with what a dead process left. */
  readonly isResumed: boolean;
  readonly cancel: AbortSignal;
  /** The user cancels in another process. */
  readonly onCancel: () => void;
  readonly onBegun: () => void;
  /** Called before its end is told. */
  readonly onOver: () => void;
  /** The message that it begins with, where not all that wait are taken. */
  readonly first?: string | undefined;
}

/**
 * A run from its first event to its last; `undefined` where another process has the session, or has gone on with this
 * run to its end. Never rejects.
 */
export async function runSession(
  session: HeldSession,
  { runId, isResumed, cancel, onCancel, onBegun, onOver, first }: RunOptions,
): Promise<RunOutcome | undefined> {
  const worked = await workOn(session, { runId, cancel, onCancel }, async (runContext) => {
    const { options, sessionId } = runContext;
    const startedMs = options.clock.nowMs();
    const { journal } = options.store;
    const [own] = isResumed ? await journal.runs(sessionId, { id: runId }) : [];
    if (own && own.endedAtMs !== null) return undefined;
    const open = await journal.runs(sessionId, { isOpen: true });
    await runContext.writer.commit(
      ...deadRunWrites(open, runContext),
      { type: 'run-started', runId },
      { type: 'status', status: 'running' },
      { type: 'event', event: newEvent('run:start', { runId, isResumed }, { runId }) },
    );
    onBegun();
    const outcome = await outcomeOf(runContext, { cancel, first });
    // What nobody cancelled and cannot be stored any more ends nothing: its questions stay, too.
    if (!cancel.aborted) runContext.signal.throwIfAborted();
    if (outcome.type === 'cancelled') await runContext.approvals.cancelAll();
    const durationMs = options.clock.nowMs() - startedMs;
    onOver();
    await runContext.writer.commit(
      { type: 'run-ended', runId, outcome: outcome as unknown as Json },
      { type: 'status', status: 'idle' },
      { type: 'event', event: newEvent('run:end', { runId, outcome, durationMs }, { runId }) },
    );
    return outcome;
  });
  if (worked.type === 'busy') return undefined;
  return worked.type === 'done' ? worked.result : stoppedBy(worked.error);
}

/** A fault of the agent, or of something it was given, ends the run and not the session. */
async function outcomeOf(
  runContext: RunContext,
  { cancel, first }: Pick<RunOptions, 'cancel' | 'first'>,
): Promise<RunOutcome> {
  try {
    const { options, sessionId, runId } = runContext;
    const run = async (): Promise<RunOutcome> => {
      await adoptModel(runContext);
      return await prunedAfter(runContext, () => runTurn(runContext, first));
    };
    return await (options.telemetry?.within({ sessionId, runId }, run) ?? run());
  } catch (error) {
    // Nothing can be stored any more: there is no outcome to write down.
    if (runContext.signal.aborted && !cancel.aborted) throw error;
    if (isStoreAway(error) && !cancel.aborted) throw error;
    return stoppedBy(error);
  }
}

/** The database is away for a moment: the run is left open, and goes on where somebody has it again. */
function isStoreAway(error: unknown): boolean {
  if (!ContextError.is(error, 'store-failed')) return false;
  return ['unreachable', 'no-connection-free'].includes(error.details.reason);
}

/** However the turn ends: what it has read lies in the session, and the next one begins with it. */
async function prunedAfter(runContext: RunContext, turn: () => Promise<RunOutcome>): Promise<RunOutcome> {
  let outcome: RunOutcome;
  try {
    outcome = await turn();
  } catch (error) {
    // What the turn has thrown is what went wrong: a second fault behind it says nothing more.
    if (!ContextError.is(error, 'lease-lost')) await pruneContext(runContext).catch(() => {});
    throw error;
  }
  await pruneContext(runContext);
  return outcome;
}

function stoppedBy(error: unknown): RunOutcome {
  if (ContextError.is(error, 'lease-lost')) return { type: 'lost' };
  const code = ContextError.is(error) ? error.code : 'unexpected';
  return { type: 'broken', code, message: errorMessage(error) };
}

/** Ends the runs that dead processes have left and that nobody goes on with: the session goes on with this one. */
function deadRunWrites(
  open: readonly StoredRun[],
  { options: { clock }, runId: own }: RunContext,
): readonly RunWrite[] {
  const left = open.filter(({ id }) => id !== own);
  const outcome: RunOutcome = { type: 'lost' };
  return left.flatMap(({ id: runId, startedAtMs }): readonly RunWrite[] => {
    const durationMs = Math.max(0, clock.nowMs() - startedAtMs);
    return [
      { type: 'run-ended', runId, outcome: outcome satisfies Json },
      { type: 'event', event: newEvent('run:end', { runId, outcome, durationMs }, { runId }) },
    ];
  });
}
