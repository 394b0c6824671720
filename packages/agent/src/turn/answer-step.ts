import { learnWindow } from '@throughline/core';
import { retryDelayMs } from '@throughline/ports';
import { hashesOfRequest, stepRequestOf } from '../view/step-request.ts';
import { emitCannotFit, leaveOutTools, prepareContext } from './prepare-context.ts';
import { notRun, refuseCalls } from './settle-unanswered.ts';
import { streamStep } from './stream-step.ts';
import type { CannotFit, View } from '@throughline/core';
import type { Repair } from '@throughline/core/types';
import type { FailureKind, ModelCall, ModelFailure, StepEnd, StepRequest } from '@throughline/ports';
import type { StepRecord } from '@throughline/protocol/types';
import type { RecordedStep } from '../stream/step-recorder.ts';
import type { SessionRequest } from '../view/session-context.ts';
import type { PrepareCancelled, PrepareContextOptions } from './prepare-context.ts';
import type { RunContext } from './run-context.ts';
import type { StreamedStep } from './stream-step.ts';

interface AnswerStepOptions {
  /** Number of the step in its run, from 1. */
  readonly step: number;
  readonly signal: AbortSignal;
  /** Stand behind the messages of this request only. */
  readonly notes?: readonly string[];
  /** The tools stay in the prompt, and the model is not to use them. */
  readonly isLast?: boolean;
}

/** No request that fits could be made. */
interface StepCannotFit extends Pick<CannotFit, 'usableTokens' | 'requestTokens' | 'parts' | 'canCompact'> {
  readonly type: 'cannot-fit';
  /** The provider refused the request, whatever it measures. */
  readonly refusal?: ModelFailure;
}

/** One step of the model, or why there is none. */
export type AnsweredStep = ({ readonly type: 'answered' } & RecordedStep) | StepCannotFit | PrepareCancelled;

/** How often a step may be refused, the first time included: each time a smaller request is sent, and what a third does not cure a fourth hardly does. */
const mostRefusals = 3;

/** What a smaller request can cure. */
const tooLarge: ReadonlySet<FailureKind> = new Set(['overflow', 'bytes']);

export const cutOffNote =
  '[The runtime: the last answer was cut off. Go on where it stopped; what was said already stays.]';

/** A request that the provider has not taken. */
interface Refused {
  readonly request: StepRequest;
  readonly failure: ModelFailure;
  readonly recorded: StreamedStep;
}

/**
 * One step: room is made, the model is asked, and what it says is stored. A request that the provider finds too large
 * is made smaller and sent again, at most twice, and only where it could be made smaller; an answer that breaks off for
 * a passing reason is gone on with. Everything that was finished before stays, and nothing runs twice.
 */
export async function answerStep(runContext: RunContext, options: AnswerStepOptions): Promise<AnsweredStep> {
  const { step, signal } = options;
  let { notes = [] } = options;
  let refused: Refused | undefined;
  for (let refusals = 0, breaks = 0; ;) {
    const prepared = await prepareContext(runContext, { signal, notes, ...reasonOf(refused) });
    if (prepared.type === 'cancelled') return prepared;
    if (prepared.type === 'cannot-fit') return cannotFit(prepared, refused);
    await runContext.account?.admitStep();
    const { request, record } = requestOf(runContext, prepared.view, { ...options, notes });
    if (refused && isNoSmaller(request, refused)) {
      if (tooLarge.has(refused.failure.kind) && (await leaveOutTools(runContext))) continue;
      return await unshrinkable(runContext, refused);
    }
    if (refused) await emitRetry(runContext, refused.failure, refusals + 1);
    const recorded = await streamStep(runContext, { request, step, signal, record });
    const { end } = recorded;
    if (recorded.message) runContext.context.append([await runContext.context.hydrate(recorded.message)]);
    if (end.type === 'end') return ended(runContext, recorded, end);
    const { failure } = end;
    // Whatever comes next stands behind them: each has its result first.
    await refuseCalls(runContext, ownCalls(recorded), notRun);
    learn(runContext, failure);
    if (signal.aborted) return { type: 'answered', ...recorded };
    if (canCure(failure) && (refusals += 1) < mostRefusals) {
      if (!tooLarge.has(failure.kind)) runContext.context.refuseImages();
      refused = { request, failure, recorded };
    } else {
      const delayMs = recorded.hasBegun ? delayAfter(runContext, failure, (breaks += 1)) : undefined;
      if (delayMs === undefined) return { type: 'answered', ...recorded };
      await emitRetry(runContext, failure, breaks + 1, delayMs);
      if ((await runContext.options.timer.wait(delayMs, signal)) === 'aborted') return { type: 'cancelled' };
      refused = undefined;
    }
    if (recorded.message && !notes.includes(cutOffNote)) notes = [...notes, cutOffNote];
  }
}

function reasonOf(refused: Refused | undefined): Pick<PrepareContextOptions, 'reason' | 'refusal'> {
  if (!refused || !tooLarge.has(refused.failure.kind)) return {};
  return { reason: 'provider-error', refusal: refused.failure };
}

function delayAfter({ options }: RunContext, failure: ModelFailure, tries: number): number | undefined {
  return options.retry === false ? undefined : retryDelayMs(failure, tries, options.retry);
}

/** What is done about it follows: this is no failure of the step. */
async function emitRetry(
  { emit, options, writer }: RunContext,
  reason: ModelFailure,
  attempt: number,
  delayMs = 0,
): Promise<void> {
  emit('llm:retry', { attempt, nextAt: options.clock.nowMs() + delayMs, reason });
  await writer.commit();
}

function ended(runContext: RunContext, recorded: RecordedStep, end: StepEnd): AnsweredStep {
  const { context, options, writer } = runContext;
  const nowMs = options.clock.nowMs();
  context.recordUsage(end, nowMs);
  if (end.windowTokens !== undefined) {
    context.state = learnWindow(context.state, { windowTokens: end.windowTokens, atMs: nowMs });
  }
  // Known again as soon as the next answer ends: it goes with what is stored next.
  writer.add({ type: 'state', state: context.state });
  return { type: 'answered', ...recorded };
}

function cannotFit(step: CannotFit, refused: Refused | undefined): StepCannotFit {
  const { usableTokens, requestTokens, parts, canCompact } = step;
  const refusal = refused && tooLarge.has(refused.failure.kind) ? { refusal: refused.failure } : {};
  return { type: 'cannot-fit', usableTokens, requestTokens, parts, canCompact, ...refusal };
}

/** The same request would be refused again. */
async function unshrinkable(runContext: RunContext, { failure, recorded }: Refused): Promise<AnsweredStep> {
  if (!tooLarge.has(failure.kind)) return { type: 'answered', ...recorded };
  const { context } = runContext;
  const { currentTokens, limit: usableTokens } = context.usage();
  const requestTokens = failure.promptTokens ?? currentTokens;
  // In the provider's own count, where it has told one.
  const scale = requestTokens / Math.max(1, currentTokens);
  const parts = context
    .biggestParts()
    .map((part) => ({ ...part, tokens: Math.round(part.tokens * Math.max(1, scale)) }));
  const step = { usableTokens, requestTokens, parts, canCompact: false };
  await emitCannotFit(runContext, { ...step, refusal: failure });
  return { type: 'cannot-fit', ...step, refusal: failure };
}

/**
 * The same to the byte: nothing is left that could be taken out of it. Less room for the answer is no cure either where
 * the prompt alone is what the provider names as too long.
 */
function isNoSmaller(next: StepRequest, { request, failure }: Refused): boolean {
  const { promptTokens, limitTokens } = failure;
  const isPromptAlone = promptTokens !== undefined && limitTokens !== undefined && promptTokens > limitTokens;
  const textOf = ({ maxOutputTokens, ...rest }: StepRequest): string =>
    JSON.stringify(isPromptAlone ? rest : { ...rest, maxOutputTokens });
  return textOf(next) === textOf(request);
}

/** A smaller request may go through, or one without images. */
function canCure({ kind, unsupported }: ModelFailure): boolean {
  return tooLarge.has(kind) || (kind === 'media' && unsupported === 'images');
}

/** Those that the agent is to run. */
export function ownCalls({ calls }: RecordedStep): readonly ModelCall[] {
  return calls.filter(({ isProviderExecuted }) => !isProviderExecuted);
}

/** What an error says of the limit and of the prompt holds from now on, also for a process that goes on. */
function learn({ context, options, writer }: RunContext, failure: ModelFailure): void {
  const { kind, limitTokens: windowTokens, promptTokens } = failure;
  if (!tooLarge.has(kind)) return;
  const before = context.state;
  if (promptTokens !== undefined) context.recordRefusal(promptTokens);
  if (windowTokens !== undefined)
    context.state = learnWindow(context.state, { windowTokens, atMs: options.clock.nowMs() });
  if (context.state !== before) writer.add({ type: 'state', state: context.state });
}

function requestOf(
  runContext: RunContext,
  view: View,
  { notes = [], isLast = false }: AnswerStepOptions,
): { readonly request: StepRequest; readonly record: StepRecord } {
  const { context, sessionId, options } = runContext;
  const maxOutputTokens = roomFor(runContext);
  const asked = { sessionId, notes, isLast, maxOutputTokens, request: options.request };
  const { request, made } = stepRequestOf(context, view, asked);
  emitMended(runContext, made);
  const record = {
    historyLength: context.historyLength,
    head: context.state.head,
    notes,
    isLast,
    maxOutputTokens: maxOutputTokens ?? null,
    ...hashesOfRequest(request),
  };
  return { request, record };
}

/**
 * What the answer may have: what is asked for, and never more than the window has left, because some providers refuse
 * a prompt and a room that are together larger than it. `undefined`: the provider decides. Anthropic's wants a number.
 */
function roomFor({ context, options }: RunContext): number | undefined {
  const { driver, limits } = context.setup;
  const asked = options.request?.maxOutputTokens;
  const isDecided = asked !== undefined || driver.codec.name === 'anthropic';
  if (!isDecided && limits.maxOutput.source === 'default') return undefined;
  const most = asked ?? limits.maxOutput.tokens;
  // As calibrated by what the provider has counted, and of the window that holds now: an error may have named a smaller
  // one. Still an estimate: a fifth more is taken off.
  const { windowTokens, currentTokens } = context.usage();
  const leftTokens = Math.floor(windowTokens - currentTokens * 1.2);
  if (!isDecided && leftTokens >= most) return undefined;
  return Math.max(256, Math.min(most, leftTokens));
}

function emitMended({ emit, context }: RunContext, { repairs, unsupported }: SessionRequest): void {
  if (repairs.length > 0) {
    const list = repairs.map((repair) => ({ type: repair.type, path: `messages[${placeOf(repair)}]` }));
    emit('context:repaired', { repairs: list });
  }
  const { provider, model } = context.setup.driver;
  for (const media of unsupported) {
    const { error, mediaType, ...details } = media;
    emit('llm:unsupported-input', { errors: [error], provider, model, fileType: mediaType, details });
  }
}

function placeOf(repair: Repair): number {
  return repair.type === 'note-added' ? repair.before : repair.entry;
}
