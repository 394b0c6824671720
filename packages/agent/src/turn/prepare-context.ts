import { cannotFitText, forgetWindow } from '@throughline/core';
import { contextBefore, isRangeChange } from '@throughline/core/internal';
import { newEvent } from '../events/new-event.ts';
import { emitUsage } from './emit-usage.ts';
import { writeCompactionCost } from '../view/compaction-cost.ts';
import type { CannotFit, Paused, Ready, Report } from '@throughline/core';
import type { Change } from '@throughline/core/types';
import type { ModelFailure, RunStepOptions, RunWrite } from '@throughline/ports';
import type { AgentEvents } from '@throughline/protocol/types';
import type { SessionContext } from '../view/session-context.ts';
import type { RunContext } from './run-context.ts';

export interface PrepareContextOptions {
  readonly signal: AbortSignal;
  readonly reason?: NonNullable<RunStepOptions['reason']>;
  readonly focus?: string;
  readonly notes?: readonly string[];
  /** Why the provider has not taken the request. */
  readonly refusal?: ModelFailure;
}

/** Nothing has changed. */
export interface PrepareCancelled {
  readonly type: 'cancelled';
}

/** What a pass that is under way has told so far. */
interface PassProgress {
  readonly startedMs: number;
  questions: number;
}

/**
 * Makes room where it is needed, stores what was changed and tells it. Checkpoint, changes, head, state and events are
 * one transaction; until then the old view is in force, also for a process that dies.
 */
export async function prepareContext(
  runContext: RunContext,
  options: PrepareContextOptions,
): Promise<Ready | CannotFit | PrepareCancelled> {
  if (options.signal.aborted) return { type: 'cancelled' };
  const { context, options: agent } = runContext;
  const { refusal, ...asked } = options;
  const nowMs = agent.clock.nowMs();
  const passProgress: PassProgress = { startedMs: nowMs, questions: 0 };
  const { lastAtMs } = context;
  // What an error named may have been true for an hour only.
  context.state = forgetWindow(context.state, { atMs: nowMs });
  const step = await context.prepare({
    ...asked,
    // Beyond the life of the provider's cache a new prefix costs nothing more.
    ...(lastAtMs === undefined ? {} : { idleMs: Math.max(0, nowMs - lastAtMs) }),
    onRequest: (_request, paused) => emitQuestion(runContext, passProgress, paused),
  });
  const isCompaction = step.type === 'ready' && step.checkpoint !== undefined;
  if (options.signal.aborted && !isCompaction) {
    if (passProgress.questions > 0) emitCancelled(runContext, options);
    return { type: 'cancelled' };
  }
  if (step.type === 'cannot-fit') {
    if (!step.canCompact && (await leaveOutTools(runContext)))
      return await prepareContext(runContext, options);
    if (passProgress.questions > 0) runContext.writer.add({ type: 'status', status: 'running' });
    await emitCannotFit(runContext, { ...step, ...(refusal ? { refusal } : {}) });
  } else await storeStep(runContext, step, passProgress);
  return step;
}

/** Prunes old output at the end of a run, where that is worth it. */
export async function pruneContext(runContext: RunContext): Promise<void> {
  const step = runContext.context.prune();
  if (step) await storeStep(runContext, step, { startedMs: runContext.options.clock.nowMs(), questions: 0 });
}

/** The first question is when one knows that the user will wait. */
function emitQuestion(
  { emit, writer, context }: RunContext,
  passProgress: PassProgress,
  paused: Paused,
): void {
  if (passProgress.questions === 0) {
    writer.add({ type: 'status', status: 'compacting' });
    emitStart(emit, context, { tokensBefore: contextBefore(paused), reason: paused.passRequest.reason });
  }
  passProgress.questions += 1;
  emit('compaction:phase', {
    phase: 'summarizing',
    messagesCount: context.historyLength,
    // How many questions a summary takes is not known before: each takes half of what is left.
    progress: 1 - 0.5 ** passProgress.questions,
  });
}

type Emit = RunContext['emit'];

/** What can be pruned goes first; a compaction that needs no model does no more. */
function emitStart(
  emit: Emit,
  { setup, historyLength }: SessionContext,
  begun: Pick<AgentEvents['compaction:start'], 'tokensBefore' | 'reason'>,
): void {
  emit('compaction:start', { ...begun, modelLimit: setup.policy.budget.windowTokens });
  emit('compaction:phase', { phase: 'pruning', messagesCount: historyLength, progress: 0 });
}

function emitCancelled({ emit, writer }: RunContext, { reason }: PrepareContextOptions): void {
  writer.add({ type: 'status', status: 'running' });
  emit('compaction:cancelled', { reason: reason ?? 'preflight' });
}

/** `true` where tools were left out: the request is smaller by them. */
export async function leaveOutTools({ context, emit }: RunContext): Promise<boolean> {
  const names = await context.leaveOutTools();
  emitFewTools(emit, names);
  return names.length > 0;
}

/** A person should know why the model does not use them. */
export function emitFewTools(emit: Emit, names: readonly string[]): void {
  if (names.length === 0) return;
  const message = `The tools would take a large part of this model's window: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} left out.`;
  emit('context:warning', { warning: 'other', message });
}

/** What stands in the way of a request that fits, and what could be done about it. */
interface NoFit extends Pick<CannotFit, 'usableTokens' | 'requestTokens' | 'parts' | 'canCompact'> {
  readonly refusal?: ModelFailure;
}

export async function emitCannotFit({ emit, writer }: RunContext, step: NoFit): Promise<void> {
  const { requestTokens, usableTokens, canCompact } = step;
  const percentUsed = percentOf(requestTokens, usableTokens);
  emit('context:overflow', { currentTokens: requestTokens, limit: usableTokens, percentUsed });
  emit('compaction:error', {
    error: {
      code: 'cannot-fit',
      message: cannotFitText(step, step.refusal && { refusal: step.refusal.message }),
    },
    canRetry: canCompact,
    suggestNewSession: !canCompact,
  });
  await writer.commit();
}

async function storeStep(runContext: RunContext, step: Ready, passProgress: PassProgress): Promise<void> {
  const { context, writer, emit } = runContext;
  emitWarnings(runContext, step.report);
  emitUserCuts(runContext, step);
  const writes: RunWrite[] = [...stateWrites(runContext, step, passProgress)];
  for (const event of passEvents(runContext, step, passProgress)) writes.push({ type: 'event', event });
  if (passProgress.questions > 0) writes.push({ type: 'status', status: 'running' });
  writer.add(...writes);
  if (passProgress.questions > 0 && !step.report.wasCompacted) emitNothingGained(runContext);
  const { fallback } = step.report.summariser;
  if (fallback !== null) {
    const error = {
      code: 'summariser',
      message:
        fallback === 'window-too-small'
          ? 'The window of the model is too small to ask it for a summary; one made by program takes its place.'
          : `The model wrote no usable summary (${fallback}); one made by program takes its place.`,
    };
    emit('llm:error', { error, context: 'summary', recoverable: true });
  }
  // A state without a checkpoint is made again by a process that takes over: it may go with the next batch.
  if (step.checkpoint) await writer.commit();
  context.state = step.state;
  if (step.checkpoint) emitUsage(runContext);
}

/** A compaction that was announced is also reported as ended. */
function emitNothingGained({ emit }: RunContext): void {
  const error = { code: 'nothing-gained', message: 'The summary would not have made the request smaller.' };
  emit('compaction:error', { error, canRetry: false, suggestNewSession: false });
}

function emitWarnings({ emit }: RunContext, { warnings, hasPrefixChanged }: Report): void {
  // The sentence on the prefix is the last of them.
  const prefixAt = hasPrefixChanged ? warnings.length - 1 : -1;
  for (const [index, message] of warnings.entries())
    emit('context:warning', { warning: index === prefixAt ? 'prefix-changed' : 'other', message });
}

/** Whoever wrote it should know that the model does not see all of it. */
function emitUserCuts({ emit }: RunContext, { checkpoint, view: { items } }: Ready): void {
  const cuts = (checkpoint?.changes ?? []).filter(({ type }) => userCuts[type] !== undefined);
  if (cuts.length === 0) return;
  const made = new Set(cuts.map(({ recallId }) => recallId));
  for (let index = 0; index < items.length; index += 1) {
    const item = items.at(index);
    if (item?.type !== 'entry' || item.entry.role !== 'user') continue;
    for (const { type, recallId } of item.changes) {
      const what = made.has(recallId) ? userCuts[type] : undefined;
      if (what)
        emit('context:warning', { warning: 'user-cut', message: `${what} The whole of it: ${recallId}.` });
    }
  }
}

const userCuts: { readonly [Type in Change['type']]?: string } = {
  'text-truncated': 'A message of the user is too long: the model is shown its beginning and its end.',
  'media-dropped': 'An image or a file of the user is left out, so that the rest fits.',
};

/** What is told of a pass that changed the view, in order. */
function passEvents(
  { runId, context, options }: RunContext,
  { checkpoint, report, view }: Ready,
  { startedMs, questions }: PassProgress,
): ReturnType<typeof newEvent>[] {
  if (!checkpoint) return [];
  const { reason, tokensBefore: before } = checkpoint;
  const { afterPrune, final } = report.tokens;
  const events: ReturnType<typeof newEvent>[] = [];
  const add: typeof newEvent = (type, data) => {
    const event = newEvent(type, data, { runId });
    events.push(event);
    return event;
  };
  if (reason === 'provider-error' || before > report.usableTokens) {
    const limit = report.usableTokens;
    add('context:overflow', { currentTokens: before, limit, percentUsed: percentOf(before, limit) });
  }
  if (report.wasPruned) {
    add('context:pruned', {
      prunedCount: report.outputsPruned,
      savedTokens: Math.max(0, Math.round(before - afterPrune)),
      prunedTools: report.toolsTouched,
    });
  }
  if (!report.wasCompacted) return events;
  if (questions === 0) emitStart(add, context, { tokensBefore: before, reason });
  const compacted = summaryIn(checkpoint.changes);
  add('context:compressed', {
    checkpointId: checkpoint.id,
    strategy: checkpoint.strategy,
    reason,
    round: compacted?.summary.round ?? 0,
    originalTokens: Math.round(before),
    compressedTokens: Math.round(final),
    originalMessages: context.historyLength,
    compressedMessages: view.items.length,
    messagesCompacted: report.messagesCompacted,
    wasPruned: report.wasPruned,
    wasSummarized: compacted !== undefined,
    durationMs: options.clock.nowMs() - startedMs,
    cost: report.cost && { ...report.cost },
    summary: compacted?.text ?? null,
  });
  return events;
}

/** What has put a summary in the place of messages; of a range that was dropped instead there is none. */
export function summaryIn(
  changes: readonly Change[],
): Extract<Change, { readonly type: 'range-compacted' }> | undefined {
  const range = changes.find(isRangeChange);
  return range?.type === 'range-compacted' ? range : undefined;
}

function percentOf(tokens: number, limit: number): number {
  return Math.round((tokens / Math.max(1, limit)) * 1_000) / 10;
}

/** What a step of the engine leaves behind: a checkpoint with everything that belongs to it, or the state alone. */
function stateWrites(
  { context, options }: RunContext,
  { checkpoint, state, report }: Ready,
  { startedMs }: PassProgress,
): readonly RunWrite[] {
  if (!checkpoint) return [{ type: 'state', state }];
  const isModels = summaryIn(checkpoint.changes)?.summary.proseBy === 'model';
  const cost = writeCompactionCost({
    durationMs: options.clock.nowMs() - startedMs,
    messagesCompacted: report.messagesCompacted,
    model: isModels ? (context.setup.summariser?.name ?? null) : null,
    usd: report.cost,
  });
  return [{ type: 'checkpoint', checkpoint, state, cost }];
}
