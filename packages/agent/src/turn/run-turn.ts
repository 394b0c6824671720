import { answerStep, cutOffNote, ownCalls } from './answer-step.ts';
import { budgetNote } from '../usage/budget-note.ts';
import { deliver } from './deliver.ts';
import { finishOpenMessages, refuseCalls, settleUnanswered } from './settle-unanswered.ts';
import { tellFewTools } from './prepare-context.ts';
import { isSpoken } from '@throughline/core';
import { runCalls } from './run-calls.ts';
import { tellUsage } from './tell-usage.ts';
import type { AnsweredStep } from './answer-step.ts';
import type { ModelCall, ModelFailure } from '@throughline/ports';
import type { RunLimits } from '../agent/agent-options.ts';
import type { RunOutcome } from '../agent/run-outcome.ts';
import type { RunScene } from './run-scene.ts';
import type { Entry, SessionMessage } from '@throughline/core';

/** Of `spec.md` A1 and A13. */
const defaults = { maxSteps: 50, graceMs: 60_000 } satisfies RunLimits;

const concludeNote =
  '[The runtime: the limit of this run is reached, and tools are not run any more. Say what was found and done, what is still open, and what the next step would be.]';
const refusedAtLimit = 'The limit of this run is reached: this call was not run, and nothing was done.';

/**
 * Runs a turn to its end: takes what waits, makes room, asks the model, stores what it says, runs its calls, and again,
 * until the model has nothing to call. What is left over from a process that died is settled first.
 */
export async function runTurn(scene: RunScene): Promise<RunOutcome> {
  const { maxSteps = defaults.maxSteps, maxDurationMs } = scene.options.limits ?? {};
  using time = timeLimit(scene, maxDurationMs);
  tellFewTools(scene.tell, scene.context.takeUntoldTools());
  const hadOpen = await finishOpenMessages(scene);
  await settleUnanswered({ ...scene, signal: time.signal });
  let notes = hadOpen || isLastCutOff(scene) ? [cutOffNote] : [];
  for (let step = 1; ; step += 1) {
    if (await deliver(scene)) notes = [];
    if (scene.signal.aborted) return { type: 'cancelled' };
    if (step === 1 && notes.length === 0 && !isAnswerDue(scene)) {
      return { type: 'completed', finish: 'stop' };
    }
    if (time.isOver()) return await conclude(scene, 'time', step);
    if (step > maxSteps) return await conclude(scene, 'steps', step);
    const answered = await answerStep(scene, { step, signal: time.signal, notes: notesOf(scene, notes) });
    notes = [];
    const ended = await afterStep(scene, answered, time);
    if (ended === 'time') return await conclude(scene, 'time', step + 1);
    if (ended) return ended;
  }
}

/** Whether something was said or found that the model has not answered, or its answer has only paused. */
function isAnswerDue(scene: RunScene): boolean {
  const last = lastOf(scene);
  return last !== undefined && (last.role === 'tool' || isSpoken(last) || isMarked(last, 'isPaused'));
}

/** Whether the last thing said is an answer that did not come to its end. */
function isLastCutOff(scene: RunScene): boolean {
  const last = lastOf(scene);
  return last !== undefined && isMarked(last, 'isCutOff');
}

function lastOf({ context }: RunScene): Entry | undefined {
  const { entries } = context.transcript.conversation;
  return entries.at(entries.length - 1);
}

function isMarked({ role, wire }: Entry, mark: 'isCutOff' | 'isPaused'): boolean {
  return role === 'assistant' && (wire as SessionMessage).meta?.[mark] === true;
}

function notesOf({ context, options }: RunScene, notes: readonly string[]): readonly string[] {
  if (options.context?.showsBudget !== true) return notes;
  const isAutomatic = options.context.auto ?? true;
  return [...notes, budgetNote(context.usage(), { isAutomatic })];
}

/** How the run ends with this step; `undefined`: it goes on. */
async function afterStep(
  scene: RunScene,
  answered: AnsweredStep,
  time: TimeLimit,
): Promise<RunOutcome | 'time' | undefined> {
  if (answered.type === 'cancelled') return time.isOver() ? 'time' : { type: 'cancelled' };
  if (answered.type === 'cannot-fit') {
    return answered;
  }
  tellUsage(scene);
  const { end, message } = answered;
  const own = ownCalls(answered);
  if (end.type === 'error') {
    if (tellFailure(scene, end.failure)) return { type: 'failed', failure: end.failure };
    return time.isOver() ? 'time' : { type: 'cancelled' };
  }
  if (own.length > 0 && message) {
    await runOwnCalls(scene, own, { message, signal: time.signal });
    if (scene.signal.aborted) return { type: 'cancelled' };
    return time.isOver() ? 'time' : undefined;
  }
  return end.finish === 'paused' ? undefined : { type: 'completed', finish: end.finish };
}

async function runOwnCalls(
  scene: RunScene,
  calls: readonly ModelCall[],
  { message, signal }: { readonly message: SessionMessage; readonly signal: AbortSignal },
): Promise<void> {
  const asked = calls.map(({ callId, name, input }) => ({ callId, name, input }));
  await runCalls(scene, { messageId: message.id, calls: asked }, signal);
}

/** `false` for one that the user, or the end of the time, has asked for. */
function tellFailure({ tell }: RunScene, { kind, message, recoverable }: ModelFailure): boolean {
  if (kind === 'cancelled') return false;
  tell('llm:error', { error: { code: kind, message }, context: 'step', recoverable });
  return true;
}

/** A last step in which the model says what it has, without tools. */
async function conclude(scene: RunScene, limit: 'steps' | 'time', step: number): Promise<RunOutcome> {
  const { graceMs = defaults.graceMs } = scene.options.limits ?? {};
  if (graceMs <= 0) return { type: 'limit', limit, isConcluded: false };
  using grace = timeLimit(scene, graceMs);
  const notes = [concludeNote];
  const answered = await answerStep(scene, { step, signal: grace.signal, notes, isLast: true });
  if (answered.type === 'answered') {
    tellUsage(scene);
    // A model that calls all the same is told that nothing was done.
    if (answered.end.type === 'end') await refuseCalls(scene, ownCalls(answered), refusedAtLimit);
    else tellFailure(scene, answered.end.failure);
  }
  if (scene.signal.aborted) return { type: 'cancelled' };
  const isConcluded = answered.type === 'answered' && answered.end.type === 'end';
  return { type: 'limit', limit, isConcluded };
}

interface TimeLimit extends Disposable {
  /** Aborted by the user's signal, or when the time is over. */
  readonly signal: AbortSignal;
  isOver(): boolean;
}

function timeLimit({ options: { timer }, signal }: RunScene, limitMs: number | undefined): TimeLimit {
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
