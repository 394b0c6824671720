import { isSpoken } from '@throughline/core/internal';
import { composeWaiting } from '../queue/compose-waiting.ts';
import { answerStep, cutOffNote, ownCalls } from './answer-step.ts';
import { emitFewTools } from './prepare-context.ts';
import { runCalls } from './run-calls.ts';
import { finishOpenMessages, refuseCalls, settleUnanswered } from './settle-unanswered.ts';
import { budgetNote, emitUsage } from './emit-usage.ts';
import { usualLimits } from '../options/agent-options.ts';
import type { Entry } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type { ModelFailure } from '@throughline/ports';
import type { RunOutcome } from '@throughline/protocol/types';
import type { AnsweredStep } from './answer-step.ts';
import type { RunContext } from './run-context.ts';

const concludeNote =
  '[The runtime: the limit of this run is reached, and tools are not run any more. Say what was found and done, what is still open, and what the next step would be.]';
const refusedAtLimit = 'The limit of this run is reached: this call was not run, and nothing was done.';

/**
 * Runs a turn to its end: takes what waits, makes room, asks the model, stores what it says, runs its calls, and again,
 * until the model has nothing to call. What is left over from a process that died is settled first.
 *
 * @param first the message that the first step takes, without the others; where it does not wait any more, nothing runs
 */
export async function runTurn(runContext: RunContext, first?: string): Promise<RunOutcome> {
  const { maxSteps = usualLimits.maxSteps, maxDurationMs } = runContext.options.limits ?? {};
  using time = timeLimit(runContext, maxDurationMs);
  emitFewTools(runContext.emit, runContext.context.takeUntoldTools());
  const hadOpen = await finishOpenMessages(runContext);
  await settleUnanswered({ ...runContext, signal: time.signal });
  let notes = hadOpen || isLastCutOff(runContext) ? [cutOffNote] : [];
  for (let step = 1; ; step += 1) {
    if (runContext.options.stop.wanted.aborted) {
      await runContext.leave();
      return { type: 'lost' };
    }
    const only = step === 1 ? first : undefined;
    if (await deliver(runContext, only)) notes = [];
    else if (only !== undefined) return { type: 'cancelled' };
    if (runContext.signal.aborted) return { type: 'cancelled' };
    if (step === 1 && notes.length === 0 && !isAnswerDue(runContext)) {
      return { type: 'completed', finish: 'stop' };
    }
    if (time.isOver()) return await conclude(runContext, 'time', step);
    if (step > maxSteps) return await conclude(runContext, 'steps', step);
    const answered = await answerStep(runContext, {
      step,
      signal: time.signal,
      notes: notesOf(runContext, notes),
    });
    notes = [];
    const ended = await afterStep(runContext, answered, time);
    if (ended === 'time') return await conclude(runContext, 'time', step + 1);
    if (ended) return ended;
  }
}

/** Whether something was said or found that the model has not answered, or its answer has only paused. */
function isAnswerDue(runContext: RunContext): boolean {
  const last = lastOf(runContext);
  return last !== undefined && (last.role === 'tool' || isSpoken(last) || isMarked(last, 'isPaused'));
}

/** Whether the last thing said is an answer that did not come to its end. */
function isLastCutOff(runContext: RunContext): boolean {
  const last = lastOf(runContext);
  return last !== undefined && isMarked(last, 'isCutOff');
}

function lastOf({ context }: RunContext): Entry | undefined {
  const { entries } = context.transcript.conversation;
  return entries.at(entries.length - 1);
}

function isMarked({ role, wire }: Entry, mark: 'isCutOff' | 'isPaused'): boolean {
  return role === 'assistant' && (wire as SessionMessage).meta?.[mark] === true;
}

function notesOf({ context, options }: RunContext, notes: readonly string[]): readonly string[] {
  if (options.context?.showsBudget !== true) return notes;
  const isAutomatic = options.context.auto ?? true;
  return [...notes, budgetNote(context.usage(), { isAutomatic })];
}

/** How the run ends with this step; `undefined`: it goes on. */
async function afterStep(
  runContext: RunContext,
  answered: AnsweredStep,
  time: TimeLimit,
): Promise<RunOutcome | 'time' | undefined> {
  if (answered.type === 'cancelled') return time.isOver() ? 'time' : { type: 'cancelled' };
  if (answered.type === 'cannot-fit') return answered;
  emitUsage(runContext);
  const { end, message } = answered;
  const own = ownCalls(answered);
  if (end.type === 'error') {
    if (emitFailure(runContext, end.failure)) return { type: 'failed', failure: end.failure };
    return time.isOver() ? 'time' : { type: 'cancelled' };
  }
  if (own.length > 0 && message) {
    await runCalls(runContext, { messageId: message.id, calls: own }, time.signal);
    if (runContext.signal.aborted) return { type: 'cancelled' };
    return time.isOver() ? 'time' : undefined;
  }
  return end.finish === 'paused' ? undefined : { type: 'completed', finish: end.finish };
}

/** `false` for one that the user, or the end of the time, has asked for. */
function emitFailure({ emit }: RunContext, { kind, message, recoverable }: ModelFailure): boolean {
  if (kind === 'cancelled') return false;
  emit('llm:error', { error: { code: kind, message }, context: 'step', recoverable });
  return true;
}

/** A last step in which the model says what it has, without tools. */
async function conclude(runContext: RunContext, limit: 'steps' | 'time', step: number): Promise<RunOutcome> {
  const { graceMs = usualLimits.graceMs } = runContext.options.limits ?? {};
  if (graceMs <= 0) return { type: 'limit', limit, isConcluded: false };
  using grace = timeLimit(runContext, graceMs);
  const notes = [concludeNote];
  const answered = await answerStep(runContext, { step, signal: grace.signal, notes, isLast: true });
  if (answered.type === 'answered') {
    emitUsage(runContext);
    // A model that calls all the same is told that nothing was done.
    if (answered.end.type === 'end') await refuseCalls(runContext, ownCalls(answered), refusedAtLimit);
    else emitFailure(runContext, answered.end.failure);
  }
  if (runContext.signal.aborted) return { type: 'cancelled' };
  const isConcluded = answered.type === 'answered' && answered.end.type === 'end';
  return { type: 'limit', limit, isConcluded };
}

interface TimeLimit extends Disposable {
  /** Aborted by the user's signal, or when the time is over. */
  readonly signal: AbortSignal;
  isOver(): boolean;
}

function timeLimit({ options: { timer }, signal }: RunContext, limitMs: number | undefined): TimeLimit {
  if (limitMs === undefined) return { signal, isOver: () => false, [Symbol.dispose]: () => {} };
  const over = new AbortController();
  const done = new AbortController();
  void timer.wait(limitMs, AbortSignal.any([signal, done.signal])).then((how) => {
    if (how === 'elapsed') over.abort();
  });
  return {
    signal: AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted,
    [Symbol.dispose]: () => done.abort(),
  };
}

/** Takes all that waits, or only one of them, into the history, as one message; `false` where nothing is taken. */
async function deliver({ context, writer, options, runId }: RunContext, only?: string): Promise<boolean> {
  let taken: ReturnType<typeof composeWaiting> | undefined;
  await writer.commit({
    type: 'deliver',
    runId,
    ...(only === undefined ? {} : { only }),
    compose: (waiting) => {
      taken = composeWaiting(waiting, { nowMs: options.clock.nowMs(), runId });
      return taken;
    },
  });
  if (!taken) return false;
  context.append([await context.hydrate(taken.message.message)]);
  return true;
}
