import { toActual } from '../budget/measures.ts';
import {
  actualTokens,
  applyLadderStep,
  isEnough,
  wireExcess,
  withBudget,
  withTrigger,
} from '../pass/pass.ts';
import { beginReview, continueReview, hasUsedReview } from '../pass/pending-review.ts';
import { addWork, beginSummary, carryOut, continueSummary, proseWithout } from '../pass/pending-summary.ts';
import { summarySource } from '../stages/compact-range.ts';
import { fitSteps, truncateSeenPasted } from '../stages/fit-steps.ts';
import { pruneParts } from '../stages/prune-parts.ts';
import { selectRange } from '../stages/select-range.ts';
import { stripMedia } from '../stages/wire-size.ts';
import type { ModelNeeded, Paused } from './step.ts';
import type { Pass } from '../pass/pass.ts';
import type { ReviewQuestion } from '../pass/pending-review.ts';
import type { PendingSummaryStep } from '../pass/pending-summary.ts';
import type { PassRequest } from '../pass/report.ts';
import type { LadderStep } from '../strategies/strategy.ts';
import type { Answer } from '../summary/model-request.ts';

/** A pass that goes on, or the question that it waits for. */
type PassOrQuestion = Pass | ModelNeeded;

export function isModelNeeded(next: PassOrQuestion): next is ModelNeeded {
  return 'paused' in next;
}

/**
 * Runs the strategy's ladder steps, then `fit`: each at most once, each only while the goal is not reached, each measured.
 * Ends in as many steps as there are ladder steps; stops where prose or decisions are needed from a model.
 */
export function runLadder(pass: Pass, passRequest: PassRequest, from = 0): PassOrQuestion {
  const { ladderSteps } = pass.policy.strategy;
  let current = pass;
  for (let index = from; index < ladderSteps.length; index += 1) {
    const ladderStep = ladderSteps[index] as LadderStep;
    if (isEnough(current) && !(passRequest.isForced && ladderStep.type !== 'prune')) continue;
    const next = runLadderStep(current, ladderStep, { passRequest, nextLadderStep: index + 1 });
    if (isModelNeeded(next)) return next;
    current = next;
  }
  return fit(passRequest.reason === 'manual' ? withBudget(current) : current);
}

/** What the ladder goes on with behind a step. */
type Ahead = Pick<Paused, 'passRequest' | 'nextLadderStep'>;

type StepOf<Type extends LadderStep['type']> = Extract<LadderStep, { type: Type }>;
type RunLadderStep<Type extends LadderStep['type']> = (
  pass: Pass,
  ladderStep: StepOf<Type>,
  ahead: Ahead,
) => PassOrQuestion;

const ladderStepTypes: { readonly [Type in LadderStep['type']]: RunLadderStep<Type> } = {
  prune: runPrune,
  review: runReview,
  compact: runCompact,
};

function runLadderStep<Type extends LadderStep['type']>(
  pass: Pass,
  ladderStep: StepOf<Type>,
  ahead: Ahead,
): PassOrQuestion {
  const run: RunLadderStep<Type> = ladderStepTypes[ladderStep.type];
  return run(pass, ladderStep, ahead);
}

function runPrune(pass: Pass, _step: LadderStep, { nextLadderStep }: Ahead): Pass {
  const compactionFollows = pass.policy.strategy.ladderSteps
    .slice(nextLadderStep)
    .some(({ type }) => type === 'compact');
  return applyLadderStep(pass, 'prune', pruneParts(pass, { onlyIfEnough: compactionFollows }));
}

function asksModel({ policy }: Pass, { isModelFree }: PassRequest): boolean {
  return policy.summariser?.type === 'model' && !isModelFree;
}

function runReview(pass: Pass, _step: LadderStep, ahead: Ahead): PassOrQuestion {
  const { passRequest } = ahead;
  return asksModel(pass, passRequest) ? reviewedBy(beginReview(pass, passRequest.focus), ahead) : pass;
}

function reviewedBy(next: ReviewQuestion | Pass, ahead: Ahead): PassOrQuestion {
  if (!('pending' in next)) return next;
  const { pass, request, pending } = next;
  return { type: 'model-needed', request, paused: pausedAt(pass, { type: 'review', ...pending }, ahead) };
}

// A compaction that frees less than this is not worth a change of the prefix.
const leastCompactedTokens = 200;

function runCompact(before: Pass, ladderStep: StepOf<'compact'>, ahead: Ahead): PassOrQuestion {
  const { writer } = ladderStep;
  const pass = applyLadderStep(
    before,
    'compact',
    truncateSeenPasted(before),
    'truncated files in the task and request',
  );
  const plan = selectRange(pass, ladderStep);
  if (!plan) return before;
  const { focus, isForced } = ahead.passRequest;
  const task = { plan, ...(focus !== undefined && { focus }) };
  const source = summarySource(pass, task);
  if (source.shownTokens < leastCompactedTokens && !isForced) return before;
  if (writer === 'model' && asksModel(pass, ahead.passRequest))
    return compactedBy(pass, beginSummary(pass, task, source), ahead);
  const prose = proseWithout(pass, source, writer === 'none' ? 'none' : 'code');
  return carryOut(pass, plan, prose, source);
}

function compactedBy(pass: Pass, step: PendingSummaryStep, ahead: Ahead): PassOrQuestion {
  if (step.type === 'ask') {
    const { request, pending } = step;
    return { type: 'model-needed', request, paused: pausedAt(pass, { ...pending, type: 'compact' }, ahead) };
  }
  const counted = { ...pass, summariser: addWork(pass.summariser, step.work) };
  return step.type === 'written' ? carryOut(counted, step.plan, step.prose, step.source) : counted;
}

function pausedAt(pass: Pass, pending: Paused['pending'], { passRequest, nextLadderStep }: Ahead): Paused {
  const { state, live, ladderSteps, tokenScale, summariser, background, startTokens, notesTokens, idleMs } =
    pass;
  return {
    version: 3,
    state,
    live,
    ladderSteps,
    tokenScale,
    summariser,
    background,
    startTokens,
    notesTokens,
    ...(idleMs === undefined ? {} : { idleMs }),
    pending,
    nextLadderStep,
    passRequest,
  };
}

export function isCancelled(answer: Answer): boolean {
  return answer.type === 'failed' && answer.cause === 'cancelled';
}

/**
 * Goes on with a pass that waited for the model. `pass` is the pass as it was, built from `paused`. Where the answer has
 * changed the view, nothing more is done than what is still needed; behind a cancelled one nothing is done at all.
 */
export function resumeLadder(pass: Pass, paused: Paused, answer: Answer): PassOrQuestion {
  const { pending, passRequest, nextLadderStep } = paused;
  const isReview = pending.type === 'review';
  const answered = isReview
    ? reviewedBy(continueReview(pass, pending, answer, passRequest.focus), paused)
    : compactedBy(pass, continueSummary(pass, pending, answer), paused);
  if (isModelNeeded(answered) || isCancelled(answer)) return answered;
  const hasRoom = !isReview || hasUsedReview(answered);
  return runLadder(answered, hasRoom ? { ...passRequest, isForced: false } : passRequest, nextLadderStep);
}

/** Behind the ladder: model-free steps, each once, until the view fits or nothing but the irreducible part is left. */
function fit(pass: Pass): Pass {
  let current = pass;
  for (const step of fitSteps) {
    if (!step.isNeeded(current)) continue;
    const next = applyLadderStep(current, 'fit', step.run(current), step.name);
    if (actualTokens(next) < actualTokens(current)) current = next;
  }
  return current;
}

/** The pass with old output pruned down to the target, where that gains what `prune` asks for at least. */
export function pruneToTarget(pass: Pass): Pass {
  return applyLadderStep(pass, 'prune', pruneParts(pass, { leastGainTokens: pass.measures.leastGain }));
}

/** The pass without the media that are too many or too heavy. */
export function withinWire(pass: Pass): Pass {
  const limits = pass.policy.wire;
  if (!limits) return pass;
  return applyLadderStep(pass, 'fit', stripMedia(pass, limits), 'media beyond the limits of the request');
}

// Texts differ in how many bytes a token has: a few corrections find the size that fits.
const mostTrials = 4;

/**
 * What a pass is asked for with limits so low that its request comes within its bytes, found without a model. Where none
 * are low enough, no model is asked either: what it would write could not be sent.
 */
export function lowerLimits(pass: Pass, passRequest: PassRequest): LoweredLimits {
  let lowest = passRequest;
  let done: Pass | undefined;
  let excess = wireExcess(pass);
  let estimate = pass.view.tokens;
  for (let trial = 0; excess && trial < mostTrials; trial += 1) {
    const { bytes, maxBytes = Infinity } = excess;
    estimate *= Math.min(0.95, maxBytes / bytes);
    const usableTokens = Math.max(1, Math.floor(toActual(pass.tokenScale, estimate)));
    const triggerTokens = Math.min(passRequest.triggerTokens, usableTokens);
    lowest = { ...passRequest, isModelFree: true, triggerTokens, usableTokens };
    const next = runLadder(withTrigger(pass, lowest), lowest);
    done = isModelNeeded(next) ? undefined : next;
    excess = done && wireExcess(done);
  }
  if (excess) return { passRequest: lowest, done };
  const found = { ...lowest, isModelFree: passRequest.isModelFree };
  return { passRequest: found, done: asksModel(pass, passRequest) ? undefined : done };
}

interface LoweredLimits {
  readonly passRequest: PassRequest;
  /** The pass at the end of its ladder, where finding the limits has run it as it would be run now. */
  readonly done: Pass | undefined;
}
