import { actualTokens, applyRung, openAttempt, stageInput, withTrigger } from './attempt.ts';
import { adopt } from './background.ts';
import { cannotFit, ready } from './finish.ts';
import { climb } from './ladder.ts';
import { isOverWire, stripMedia, wireSize } from '../stages/wire-size.ts';
import { measuredExactly } from './exact-gauge.ts';
import { seenTokens } from '../changes/view.ts';
import { toActual } from '../budget/gauge.ts';
import type { Attempt } from './attempt.ts';
import type { Climb } from './climb.ts';
import type { CompactionReason } from './climb.ts';
import type { Step } from './step.ts';
import type { ContextState } from './state.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';
import type { WrittenSummary } from './background.ts';

export interface PrepareOptions {
  /**
   * Why a pass is asked for. Absent: the engine decides by itself. `manual`: the user wants one, whatever the size.
   * `provider-error`: the provider refused the request although it seemed to fit.
   */
  readonly reason?: 'manual' | 'provider-error' | 'model-switch';
  /** What a manual compaction should pay attention to. */
  readonly focus?: string;
  /** A summary that was written ahead of need. It is put in its place as soon as space is needed, and not before. */
  readonly written?: WrittenSummary;
  /** Counts exactly; asked only where the estimate is near the trigger and the provider has not counted yet. */
  readonly exact?: Estimator;
}

/**
 * One step of the engine: the history and what was remembered in, the context to send out. Where nothing presses the
 * cost is that of what is new. Where the next request would exceed the trigger the strategy's rungs are climbed, each
 * at most once; `model-needed` asks the host for prose, and `resume` goes on.
 *
 * Guarantees: pure; no object handed in is changed; the view is within what is usable, or the step is `cannot-fit`;
 * the same history, state and policy give the same step.
 *
 * @throws {ContextError} `invalid-option` for a policy outside its ranges.
 */
export function prepare(
  transcript: Transcript,
  state: ContextState,
  policy: Policy,
  options: PrepareOptions = {},
): Step {
  const attempt = measuredExactly(openAttempt(transcript, state, policy), options.exact);
  const reason = reasonToClimb(attempt, options);
  if (reason === undefined) return isOverUsable(attempt) ? cannotFit(attempt, true) : ready(attempt);
  const light = withinWire(attempt);
  const climbing = climbingOf(light, reason, options);
  const begun = adopt(withTrigger(light, climbing.triggerTokens), climbing, options.written);
  const climbed = climb(begun.attempt, begun.climbing);
  if (climbed.type === 'model-needed') return climbed;
  if (isOverUsable(climbed.attempt)) return cannotFit(climbed.attempt, false);
  return ready(climbed.attempt, begun.climbing.reason);
}

/**
 * How the ladder is climbed. What the user asks for, and what the provider refused although it seemed to fit, is
 * treated as if the request had just reached the trigger; what weighs too many bytes, as if the trigger were lower.
 */
function climbingOf(
  attempt: Attempt,
  reason: CompactionReason,
  { reason: asked, focus }: PrepareOptions,
): Climb {
  const isForced = asked === 'manual' || asked === 'provider-error';
  const { triggerTokens } = attempt.budget;
  const tokens = Math.max(1, Math.floor(actualTokens(attempt)));
  const { maxBytes } = attempt.policy.wire ?? {};
  const share =
    maxBytes === undefined ? 1 : Math.min(1, maxBytes / Math.max(1, wireSize(stageInput(attempt)).bytes));
  const lowered = Math.max(
    1,
    Math.floor(Math.min(triggerTokens, share < 1 ? tokens * share : triggerTokens)),
  );
  return {
    reason,
    isForced,
    isModelFree: false,
    triggerTokens: isForced ? Math.min(lowered, tokens) : lowered,
    ...(focus === undefined ? {} : { focus }),
  };
}

/** The attempt without the media that are too many or too heavy. */
function withinWire(attempt: Attempt): Attempt {
  const limits = attempt.policy.wire;
  if (!limits) return attempt;
  return applyRung(
    attempt,
    'fit',
    stripMedia(stageInput(attempt), limits),
    'media beyond the limits of the request',
  );
}

export function isOverUsable(attempt: Attempt): boolean {
  return Math.floor(actualTokens(attempt)) > attempt.budget.usableTokens;
}

/** Why the ladder has to be climbed now, or `undefined`. */
function reasonToClimb(attempt: Attempt, { reason }: PrepareOptions): CompactionReason | undefined {
  if (reason === 'manual') return 'manual';
  const { policy, budget, state } = attempt;
  if (policy.auto === false || policy.strategy.trigger === 'manual') return undefined;
  if (reason !== undefined) return reason;
  const tokens = actualTokens(attempt);
  const isHeavy = policy.wire !== undefined && isOverWire(wireSize(stageInput(attempt)), policy.wire);
  if (tokens > budget.usableTokens || isHeavy) return 'overflow';
  if (tokens <= budget.triggerTokens || state.isHeld) return undefined;
  // The last pass could not get lower: the next one waits until there is something new to gain from.
  const seen = toActual(attempt.gauge, seenTokens(attempt.view));
  const hasGrown =
    seen >= state.floorTokens + budget.growthTokens || tokens >= state.floorTokens + budget.growthTokens;
  if (!hasGrown) return undefined;
  return policy.strategy.trigger === 'threshold' ? 'threshold' : 'preflight';
}
