import { learnWindow, markForCache } from '@throughline/core';
import { notRun, refuseCalls } from './settle-unanswered.ts';
import { prepareContext } from './prepare-context.ts';
import { streamStep } from './stream-step.ts';
import type { CannotFit, Repair, View } from '@throughline/core';
import type { FailureKind, ModelCall, ModelFailure, StepRequest } from '@throughline/ports';
import type { PrepareCancelled } from './prepare-context.ts';
import type { RecordedStep } from '../stream/step-recorder.ts';
import type { RunScene } from './run-scene.ts';
import type { SessionRequest } from '../view/session-context.ts';

export interface AnswerStepOptions {
  /** Number of the step in its run, from 1. */
  readonly step: number;
  readonly signal: AbortSignal;
  /** Stand behind the messages of this request only. */
  readonly notes?: readonly string[];
  /** The tools stay in the prompt, and the model is not to use them. */
  readonly isLast?: boolean;
}

/** One step of the model, or why there is none. */
export type AnsweredStep = ({ readonly type: 'answered' } & RecordedStep) | CannotFit | PrepareCancelled;

/** Of one step, the first included (`spec.md` A7). */
const mostAttempts = 3;

/** What a smaller request can cure. */
const tooLarge: ReadonlySet<FailureKind> = new Set(['overflow', 'bytes']);

/**
 * One step: room is made, the model is asked, and what it says is stored. A request that the provider finds too large
 * is made smaller and sent again, at most twice; everything that was finished before stays, and nothing runs twice.
 */
export async function answerStep(scene: RunScene, options: AnswerStepOptions): Promise<AnsweredStep> {
  const { context, tell, writer } = scene;
  const { step, signal, notes = [] } = options;
  let isTooLarge = false;
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await prepareContext(scene, {
      signal,
      notes,
      ...(isTooLarge ? { reason: 'provider-error' as const } : {}),
    });
    if (prepared.type !== 'ready') return prepared;
    const request = requestOf(scene, prepared.view, options);
    const recorded = await streamStep(scene, { request, step, signal });
    if (recorded.message) context.append([await context.hydrate(recorded.message)]);
    const { end } = recorded;
    if (end.type === 'end') {
      const nowMs = scene.options.clock.nowMs();
      context.recordUsage(end, nowMs);
      if (end.windowTokens !== undefined) {
        context.state = learnWindow(context.state, { windowTokens: end.windowTokens, atMs: nowMs });
      }
      await writer.commit({ type: 'state', state: context.state });
      return { type: 'answered', ...recorded };
    }
    const { failure } = end;
    // Whatever comes next stands behind them: each has its result first.
    await refuseCalls(scene, ownCalls(recorded), notRun);
    learn(scene, failure);
    if (!canCure(failure) || attempt >= mostAttempts || signal.aborted) {
      return { type: 'answered', ...recorded };
    }
    tell('llm:error', {
      error: { code: failure.kind, message: failure.message },
      context: 'step',
      recoverable: true,
    });
    isTooLarge = tooLarge.has(failure.kind);
    if (!isTooLarge) context.refuseImages();
  }
}

/** A smaller request may go through, or one without images. */
function canCure({ kind, unsupported }: ModelFailure): boolean {
  return tooLarge.has(kind) || (kind === 'media' && unsupported === 'images');
}

/** Those that the agent is to run. */
export function ownCalls({ calls }: RecordedStep): readonly ModelCall[] {
  return calls.filter(({ isProviderExecuted }) => !isProviderExecuted);
}

/** The limit that an error names holds from now on, also for a process that goes on. */
function learn({ context, options, writer }: RunScene, failure: ModelFailure): void {
  const { kind, limitTokens: windowTokens } = failure;
  if (windowTokens === undefined || !tooLarge.has(kind)) return;
  context.state = learnWindow(context.state, { windowTokens, atMs: options.clock.nowMs() });
  writer.add({ type: 'state', state: context.state });
}

function requestOf(scene: RunScene, view: View, options: AnswerStepOptions): StepRequest {
  const { context, sessionId } = scene;
  const { prompt, driver } = context.setup;
  const request = context.request(view, options.notes ?? []);
  tellMended(scene, request);
  const { system, messages } = markedFor(driver.codec.name, prompt.system, request);
  const { temperature } = scene.options.request ?? {};
  const maxOutputTokens = roomFor(scene);
  return {
    messages,
    conversationId: sessionId,
    ...(system === '' ? {} : { system }),
    ...(prompt.tools.length > 0 ? { tools: prompt.tools } : {}),
    ...(options.isLast === true ? { toolChoice: 'none' as const } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** Anthropic finds a cached prefix only up to marks in the request. */
function markedFor(
  codec: string,
  system: string,
  { messages }: SessionRequest,
): { readonly system: unknown; readonly messages: readonly unknown[] } {
  if (codec !== 'anthropic') return { system, messages: messages.map(({ message }) => message) };
  const marked = markForCache({ messages, ...(system === '' ? {} : { system }) });
  return { system: marked.system ?? '', messages: marked.messages };
}

/**
 * What the answer may have: what is asked for, and never more than the window has left, because some providers refuse
 * a prompt and a room that are together larger than it. `undefined`: the provider decides. Anthropic's wants a number.
 */
function roomFor({ context, options }: RunScene): number | undefined {
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

function tellMended({ tell, context }: RunScene, { repairs, unsupported }: SessionRequest): void {
  if (repairs.length > 0) {
    const list = repairs.map((repair) => ({ type: repair.type, path: `messages[${placeOf(repair)}]` }));
    tell('context:repaired', { repairs: list });
  }
  const { provider, model } = context.setup.driver;
  for (const media of unsupported) {
    const { error, mediaType, ...details } = media;
    tell('llm:unsupported-input', { errors: [error], provider, model, fileType: mediaType, details });
  }
}

function placeOf(repair: Repair): number {
  return repair.type === 'note-added' ? repair.before : repair.entry;
}
