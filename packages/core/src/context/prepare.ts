import { toActual } from '../budget/measures.ts';
import { isObject } from '../json/json.ts';
import { isHidden, seenTokens } from '../changes/view.ts';
import { adopt } from './background.ts';
import { cannotFit, finished, ready } from './finish.ts';
import { isModelNeeded, lowerLimits, pruneToTarget, runLadder, withinWire } from './ladder.ts';
import { checkOptions, duration, oneOfTexts, optionalText, texts } from '../errors/check-options.ts';
import { checkTranscript } from '../history/check-input.ts';
import { anEstimator } from '../tokens/estimator.ts';
import { countNotes } from '../history/dynamic-context.ts';
import { checkRequest, renderView } from '../history/render-view.ts';
import { isCacheCold } from '../models/prices.ts';
import {
  actualTokens,
  isTooBig,
  openPass,
  requestTokens,
  withBudget,
  withLowestTarget,
  withTrigger,
} from '../pass/pass.ts';
import { isAutomatic } from '../pass/policy.ts';
import { emptyState } from '../pass/state.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import { positionOf } from '../transcript/conversation.ts';
import type { WrittenSummary } from './background.ts';
import type { Step } from './step.ts';
import type { OptionChecks } from '../errors/check-options.ts';
import type { View } from '../changes/view.ts';
import type { DynamicContext } from '../history/dynamic-context.ts';
import type { Transcript } from '../history/transcript.ts';
import type { Pass } from '../pass/pass.ts';
import type { Policy } from '../pass/policy.ts';
import type { CompactionReason, PassRequest } from '../pass/report.ts';
import type { ContextState } from '../pass/state.ts';
import type { Estimator } from '../tokens/estimator.ts';

/** What a step is told beside history, state and policy. */
export interface PrepareOptions {
  /**
   * Why a pass is asked for. Absent: the engine decides by itself. `manual`: the user wants one, whatever the size.
   * `provider-error`: the provider refused the request although it seemed to fit. `model-switch`: another model answers
   * next, and room is made down to the target before the trigger is reached. Only `manual` counts where compaction is
   * switched off.
   */
  readonly reason?: 'manual' | 'provider-error' | 'model-switch';
  /** What a manual compaction should pay attention to. */
  readonly focus?: string;
  /** What changes from step to step and is no part of the history; hand the same to `renderView`. @default none */
  readonly notes?: DynamicContext;
  /**
   * Milliseconds since the last request was answered, ≥ 0: beyond the life of the provider's cache nothing is lost by a
   * new prefix. @default unknown, as within that life
   */
  readonly idleMs?: number;
  /** A summary that was written ahead of need. It is put in its place as soon as space is needed, and not before. */
  readonly written?: WrittenSummary;
  /** Counts exactly; asked only where the estimate is near the trigger and the provider has not counted yet. */
  readonly exact?: Estimator;
}

const prepareOptions: OptionChecks<PrepareOptions> = {
  reason: oneOfTexts('manual', 'provider-error', 'model-switch'),
  focus: optionalText,
  notes: texts,
  idleMs: duration,
  written: { expected: 'a summary that advanceBackground wrote', fits: isObject },
  exact: anEstimator,
};

/**
 * One step of the engine: the history and what was remembered in, the context to send out. Where nothing presses the
 * cost is that of what is new. Where the next request would exceed the trigger the steps of the strategy's ladder run,
 * each at most once; `model-needed` asks the host for prose, and `resume` goes on.
 *
 * Guarantees: pure; no object handed in is changed; the view is within what is usable, or the step is `cannot-fit`;
 * the same history, state and policy give the same step.
 *
 * @throws {ContextError} `invalid-option` for a policy outside its ranges, a misspelt option, and what is no
 * transcript; `bad-state` for a state that is none; `bad-wire-format` where there is no message to send; `not-loaded`
 * where the view shows messages that were not loaded.
 */
export function prepare(
  transcript: Transcript,
  state: ContextState,
  policy: Policy,
  options: PrepareOptions = {},
): Step {
  checkTranscript(transcript);
  checkOptions('', options, prepareOptions);
  const notesTokens = countNotes(options.notes ?? [], transcript.estimator);
  const { idleMs } = options;
  return begin(openPass(transcript, state, policy, { notesTokens, idleMs }), options);
}

/** The step that begins with an opened pass. */
export function begin(opened: Pass, options: Omit<PrepareOptions, 'notes' | 'idleMs'>): Step {
  checkRequest(opened.transcript, opened.view);
  const pass = measuredExactly(opened, options.exact);
  const reason = reasonForPass(pass, options);
  if (reason === undefined) {
    // Nothing is done about a refused request only when the user has switched compaction off.
    const isRefused = options.reason === 'provider-error' || isTooBig(pass);
    return isRefused ? cannotFit(pass, true) : atColdMoment(pass, options.written);
  }
  const light = withinWire(pass);
  const { passRequest, done } = lowerLimits(light, passRequestOf(light, reason, options));
  const start = withTrigger(light, passRequest);
  const begun = adopt(start, passRequest, options.written);
  const next = done && begun.pass === start ? done : runLadder(begun.pass, begun.passRequest);
  return isModelNeeded(next) ? next : finished(next, begun.passRequest.reason);
}

// Farther away from the trigger no estimate is wrong enough to matter.
const nearShare = 0.15;

/**
 * The pass measured by an exact tokenizer, as it would be sent, where the estimate is within 15 % of the trigger and
 * the provider has not counted this session yet. Elsewhere the pass as it is: exact counting is some twenty times
 * dearer.
 */
export function measuredExactly(pass: Pass, exact: Estimator | undefined): Pass {
  const { transcript, view, tokenScale, budget, state } = pass;
  const distance = Math.abs(actualTokens(pass) - budget.triggerTokens);
  if (!exact || state.usage !== null || distance > budget.triggerTokens * nearShare) return pass;
  const tokens = exactTokens(transcript, view, exact);
  const slope = view.tokens > 0 ? tokens / view.tokens : 1;
  const exactTokenScale = { offsetTokens: tokenScale.offsetTokens, slope: Math.max(0.1, slope) };
  return withBudget({ ...pass, tokenScale: exactTokenScale });
}

/** What all that reaches the model costs, repairs and all. */
function exactTokens(transcript: Transcript, view: View, estimator: Estimator): number {
  const { codec, conversation } = transcript;
  const meter = { estimator, media: transcript.media };
  let tokens = 0;
  for (const { message, ordinal } of renderView(transcript, view).messages) {
    const isUnread = ordinal !== undefined && isHidden(conversation, positionOf(conversation, ordinal));
    if (!isUnread) tokens += measureEntry(codec.decode(message, ordinal ?? 0), meter).tokens;
  }
  return tokens;
}

/**
 * Where nothing presses. While the cache is cold anyway a new prefix costs nothing more: a summary that lies ready is
 * put in its place, and old output is pruned, before they have to be. Nobody is asked, and nobody waits.
 */
function atColdMoment(pass: Pass, written: WrittenSummary | undefined): Step {
  const { policy, budget, idleMs, state } = pass;
  const isOff = !isAutomatic(policy) || state.isAutoCompactionPaused;
  const isCold = policy.pricing !== undefined && idleMs !== undefined && isCacheCold(policy.pricing, idleMs);
  if (isOff || !isCold || actualTokens(pass) < budget.softTokens) return ready(pass);
  const passRequest: PassRequest = {
    reason: 'threshold',
    isForced: false,
    isModelFree: true,
    triggerTokens: budget.triggerTokens,
  };
  const cold = withLowestTarget(pass);
  const begun = adopt(cold, passRequest, written);
  const pruned = pruneToTarget(begun.pass);
  return pruned === cold ? ready(pass) : ready(pruned, begun.passRequest.reason);
}

/**
 * How the ladder runs. What the user asks for, and what the provider refused although it seemed to fit, is treated as if
 * the request had just reached the trigger.
 */
function passRequestOf(
  pass: Pass,
  reason: CompactionReason,
  { reason: asked, focus }: PrepareOptions,
): PassRequest {
  const isForced = asked === 'manual' || asked === 'provider-error';
  const { triggerTokens } = pass.budget;
  const tokens = Math.max(1, requestTokens(pass));
  return {
    reason,
    isForced,
    isModelFree: asked === undefined && !hasMuchNew(pass),
    triggerTokens: isForced ? Math.min(triggerTokens, tokens) : triggerTokens,
    ...(focus === undefined ? {} : { focus }),
  };
}

/**
 * Whether a tenth of the trigger came since a model was asked last. Where pins or a large request leave no more room,
 * the view is above its trigger at every step: what little is new is compacted without asking again.
 */
function hasMuchNew({ state, view, measures }: Pass): boolean {
  const { conversation, items } = view;
  const asked = state.askedEnd === 0 ? -1 : positionOf(conversation, state.askedEnd - 1);
  if (asked < 0) return true;
  let tokens = 0;
  for (let index = items.length - 1; index >= 0 && tokens < measures.growth; index -= 1) {
    const item = items.at(index);
    if (item?.type !== 'entry' || item.position <= asked) return false;
    tokens += item.tokens;
  }
  return tokens >= measures.growth;
}

/** Why the ladder has to run now, or `undefined`. */
function reasonForPass(
  pass: Pass,
  { reason }: Pick<PrepareOptions, 'reason'> = {},
): CompactionReason | undefined {
  if (reason === 'manual') return 'manual';
  const { policy, budget, state } = pass;
  if (!isAutomatic(policy)) return undefined;
  if (reason !== undefined) return reason;
  const tokens = actualTokens(pass);
  if (isTooBig(pass)) return 'overflow';
  if (tokens + doubtTokens(pass) <= budget.triggerTokens || state.isAutoCompactionPaused) return undefined;
  // The last pass could not get lower: the next one waits until there is something new to gain from.
  const seen = toActual(pass.tokenScale, seenTokens(pass.view));
  const hasGrown =
    seen >= state.floorTokens + budget.growthTokens || tokens >= state.floorTokens + budget.growthTokens;
  if (!hasGrown) return undefined;
  return policy.strategy.trigger === 'threshold' ? 'threshold' : 'preflight';
}

// Recorded sessions: a new result is off by up to two fifths, what was counted once by nothing.
const doubtShare = 0.4;
const mostDoubtShare = 0.05;

/**
 * By how much the request may be larger than it measures: two fifths of what the provider has not counted yet, at most
 * 5 % of the trigger. Nothing where the trigger is what is usable: that has a safety margin of its own.
 */
function doubtTokens({ budget, tokenScale, state, view }: Pass): number {
  const { triggerTokens, usableTokens } = budget;
  if (triggerTokens >= usableTokens) return 0;
  const uncounted = Math.max(0, view.tokens - (state.usage?.estimateTokens ?? 0));
  return Math.min(tokenScale.slope * uncounted * doubtShare, triggerTokens * mostDoubtShare);
}

/**
 * One pass over the strategy's ladder steps because the user asks for it: whatever the size, and also where nothing is
 * compacted automatically. As every step it may ask for a model; `resume` goes on. Without a checkpoint nothing was to
 * be gained.
 *
 * @param state @default that of a history on which nothing was done yet
 * @throws {ContextError} as `prepare`
 */
export function compact(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
  options: Omit<PrepareOptions, 'reason'> = {},
): Step {
  return prepare(transcript, state, policy, { ...options, reason: 'manual' });
}

/**
 * Whether the next `prepare` would run the strategy's ladder by itself: not where compaction is switched off or waits
 * for the user, nor soon after an undo or after a pass that could not get lower. Changes nothing.
 */
export function shouldCompact(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): boolean {
  return reasonForPass(openPass(transcript, state, policy)) !== undefined;
}
