import { actualTokens, applyLadderStep, isEnough, withBudget } from '../pass/pass.ts';
import { beginReview, continueReview } from '../pass/pending-review.ts';
import { addWork, beginSummary, carryOut, continueSummary, proseWithout } from '../pass/pending-summary.ts';
import { summarySource } from '../stages/compact-range.ts';
import { fitSteps } from '../stages/fit-steps.ts';
import { pruneParts } from '../stages/prune-parts.ts';
import { selectRange } from '../stages/select-range.ts';
import type { ModelNeeded, Paused, Pending } from './step.ts';
import type { Pass } from '../pass/pass.ts';
import type { ReviewQuestion } from '../pass/pending-review.ts';
import type { PendingSummaryStep } from '../pass/pending-summary.ts';
import type { PassRequest } from '../pass/report.ts';
import type { CompactionPlan } from '../stages/select-range.ts';
import type { LadderStep } from '../strategies/strategy.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';

type LadderResult =
  | { readonly type: 'done'; readonly pass: Pass }
  | { readonly type: 'cancelled'; readonly pass: Pass }
  | ModelNeeded;

/**
 * Runs the strategy's ladder steps, then `fit`: each at most once, each only while the goal is not reached, each measured.
 * Ends in as many steps as there are ladder steps; stops where prose or decisions are needed from a model.
 */
export function runLadder(pass: Pass, passRequest: PassRequest, from = 0): LadderResult {
  const { ladderSteps } = pass.policy.strategy;
  let current = pass;
  for (let index = from; index < ladderSteps.length; index += 1) {
    const ladderStep = ladderSteps[index] as LadderStep;
    if (isEnough(current) && !(passRequest.isForced && ladderStep.type !== 'prune')) continue;
    const next = runLadderStep(current, { passRequest, ladderStep, index });
    if (isModelNeeded(next)) return next;
    current = next;
  }
  return { type: 'done', pass: fit(passRequest.reason === 'manual' ? withBudget(current) : current) };
}

/** A pass that goes on, or the question that it waits for. */
type PassOrQuestion = Pass | ModelNeeded;

function isModelNeeded(next: PassOrQuestion): next is ModelNeeded {
  return 'paused' in next;
}

interface AtLadderStep<Type extends LadderStep['type'] = LadderStep['type']> {
  readonly passRequest: PassRequest;
  readonly ladderStep: Extract<LadderStep, { type: Type }>;
  readonly index: number;
}

type RunLadderStep<Type extends LadderStep['type']> = (pass: Pass, at: AtLadderStep<Type>) => PassOrQuestion;

const ladderStepTypes: { readonly [Type in LadderStep['type']]: RunLadderStep<Type> } = {
  prune: runPrune,
  review: runReview,
  compact: runCompact,
};

function runLadderStep<Type extends LadderStep['type']>(
  pass: Pass,
  at: AtLadderStep<Type> & { readonly ladderStep: { readonly type: Type } },
): PassOrQuestion {
  return ladderStepTypes[at.ladderStep.type](pass, at);
}

function runPrune(pass: Pass, { index }: AtLadderStep<'prune'>): Pass {
  const compactionFollows = pass.policy.strategy.ladderSteps
    .slice(index + 1)
    .some(({ type }) => type === 'compact');
  const changes = pruneParts(pass, { onlyIfEnough: compactionFollows });
  return applyLadderStep(pass, 'prune', changes);
}

function runReview(pass: Pass, { passRequest, index }: AtLadderStep<'review'>): PassOrQuestion {
  const asksModel = pass.policy.summariser?.type === 'model' && !passRequest.isModelFree;
  const question = asksModel ? beginReview(pass, passRequest.focus) : undefined;
  return question ? waitForReview(question, { passRequest, nextLadderStep: index + 1 }) : pass;
}

// A compaction that frees less than this is not worth a change of the prefix.
const leastCompactedTokens = 200;

function runCompact(pass: Pass, { passRequest, ladderStep, index }: AtLadderStep<'compact'>): PassOrQuestion {
  const plan = selectRange(pass, ladderStep);
  if (!plan) return pass;
  const { focus } = passRequest;
  const source = summarySource(pass, { plan, focus });
  if (source.shownTokens < leastCompactedTokens && !passRequest.isForced) return pass;
  const asksModel = ladderStep.writer === 'model' && pass.policy.summariser?.type === 'model';
  if (asksModel && !passRequest.isModelFree) {
    const step = beginSummary(pass, { plan, ...(focus !== undefined && { focus }) }, source);
    return compactBy(pass, step, { plan, passRequest, nextLadderStep: index + 1 });
  }
  const prose = proseWithout(pass, source, ladderStep.writer === 'none' ? 'none' : 'code');
  return carryOut(pass, plan, prose, source);
}

interface Ahead {
  readonly passRequest: PassRequest;
  readonly nextLadderStep: number;
}

function waitForReview({ pass, request, pending }: ReviewQuestion, ahead: Ahead): ModelNeeded {
  return waiting(pass, { request, pending: { type: 'review', ...pending } }, ahead);
}

function compactBy(
  pass: Pass,
  step: PendingSummaryStep,
  ahead: Ahead & { readonly plan: CompactionPlan },
): PassOrQuestion {
  if (step.type === 'ask') {
    return waiting(pass, { request: step.request, pending: { ...step.pending, type: 'compact' } }, ahead);
  }
  const counted = { ...pass, summariser: addWork(pass.summariser, step.work) };
  return step.type === 'written' ? carryOut(counted, ahead.plan, step.prose, step.source) : counted;
}

function waiting(
  pass: Pass,
  { request, pending }: { readonly request: ModelRequest; readonly pending: Pending },
  { passRequest, nextLadderStep }: Ahead,
): ModelNeeded {
  const { state, live, ladderSteps, tokenScale, summariser, background, startTokens, notesTokens, idleMs } =
    pass;
  const paused: Paused = {
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
  return { type: 'model-needed', request, paused };
}

/** Goes on with a pass that waited for the model. `pass` is the pass as it was, built from `paused`. */
export function resumeLadder(pass: Pass, paused: Paused, answer: Answer): LadderResult {
  const { pending } = paused;
  return pending.type === 'review'
    ? resumeReview(pass, { ...paused, pending }, answer)
    : resumeSummary(pass, { ...paused, pending }, answer);
}

type Waiting<Type extends Pending['type']> = Paused & { readonly pending: Extract<Pending, { type: Type }> };

/** Where the decisions have changed the view, nothing more is done than what is still needed. */
function resumeReview(pass: Pass, paused: Waiting<'review'>, answer: Answer): LadderResult {
  const { pending, passRequest, nextLadderStep } = paused;
  const step = continueReview(pass, pending, answer, passRequest.focus);
  if (step.type === 'ask') return waitForReview(step, { passRequest, nextLadderStep });
  if (step.type === 'cancelled') return step;
  return runLadder(
    step.pass,
    step.isUsed ? { ...passRequest, isForced: false } : passRequest,
    nextLadderStep,
  );
}

function resumeSummary(pass: Pass, paused: Waiting<'compact'>, answer: Answer): LadderResult {
  const { pending, passRequest, nextLadderStep } = paused;
  const step = continueSummary(pass, pending, answer);
  const compacted = compactBy(pass, step, { plan: pending.plan, passRequest, nextLadderStep });
  if (isModelNeeded(compacted)) return compacted;
  if (step.type === 'cancelled') return { type: 'cancelled', pass: compacted };
  return runLadder(compacted, { ...passRequest, isForced: false }, nextLadderStep);
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
  const changes = pruneParts(pass, { leastGainTokens: pass.measures.leastGain });
  return applyLadderStep(pass, 'prune', changes);
}
