import { actualTokens, applyRung, isEnough, stageInput, withBudget } from './attempt.ts';
import { addWork, beginFold, carryOut, continueFold, proseWithout } from './pending-fold.ts';
import { beginReview, continueReview } from './pending-review.ts';
import { clear } from '../stages/clear.ts';
import { fitSteps } from '../stages/fit-steps.ts';
import { foldSource } from '../stages/fold.ts';
import { selectFold } from '../stages/select-fold.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';
import type { Attempt } from './attempt.ts';
import type { Climb } from './climb.ts';
import type { FoldStep, FoldTask } from './pending-fold.ts';
import type { ModelNeeded, Paused, Pending } from './step.ts';
import type { ReviewQuestion } from './pending-review.ts';
import type { Rung } from '../strategies/strategy.ts';

export type Climbed =
  | { readonly type: 'done'; readonly attempt: Attempt }
  | { readonly type: 'cancelled'; readonly attempt: Attempt }
  | ModelNeeded;

/**
 * Climbs the strategy's rungs, then `fit`: each at most once, each only while the goal is not reached, each measured.
 * Ends in as many steps as there are rungs; stops where prose or decisions are needed from a model.
 */
export function climb(attempt: Attempt, climbing: Climb, from = 0): Climbed {
  const { rungs } = attempt.policy.strategy;
  let current = attempt;
  for (let index = from; index < rungs.length; index += 1) {
    const rung = rungs[index] as Rung;
    if (isEnough(current) && !(climbing.isForced && rung.type !== 'clear')) continue;
    const climbed = climbRung(current, { climbing, rung, index });
    if (climbed.type === 'model-needed') return climbed;
    current = climbed.attempt;
  }
  return { type: 'done', attempt: fit(climbing.reason === 'manual' ? withBudget(current) : current) };
}

type RungDone = { readonly type: 'rung-done'; readonly attempt: Attempt };

interface AtRung<Type extends Rung['type'] = Rung['type']> {
  readonly climbing: Climb;
  readonly rung: Extract<Rung, { type: Type }>;
  readonly index: number;
}

type ClimbRung<Type extends Rung['type']> = (attempt: Attempt, at: AtRung<Type>) => RungDone | ModelNeeded;

const rungTypes: { readonly [Type in Rung['type']]: ClimbRung<Type> } = {
  clear: clearRung,
  review: reviewRung,
  fold: foldRung,
};

function climbRung<Type extends Rung['type']>(
  attempt: Attempt,
  at: AtRung<Type> & { readonly rung: { readonly type: Type } },
): RungDone | ModelNeeded {
  return rungTypes[at.rung.type](attempt, at);
}

function clearRung(attempt: Attempt, { index }: AtRung<'clear'>): RungDone {
  const { measures, policy } = attempt;
  const foldFollows = policy.strategy.rungs.slice(index + 1).some(({ type }) => type === 'fold');
  const changes = clear(stageInput(attempt), {
    targetTokens: measures.low,
    keep: measures.keep,
    leastGainTokens: 0,
    onlyIfEnough: foldFollows,
  });
  return { type: 'rung-done', attempt: applyRung(attempt, 'clear', changes) };
}

function reviewRung(attempt: Attempt, { climbing, index }: AtRung<'review'>): RungDone | ModelNeeded {
  const asksModel = attempt.policy.summariser?.type === 'model' && !climbing.isModelFree;
  const question = asksModel ? beginReview(attempt, climbing.focus) : undefined;
  if (!question) return { type: 'rung-done', attempt };
  return waitForReview(question, { climbing, nextRung: index + 1 });
}

// A fold that frees less than this is not worth a change of the prefix.
const leastFoldTokens = 200;

function foldRung(attempt: Attempt, { climbing, rung, index }: AtRung<'fold'>): RungDone | ModelNeeded {
  const input = stageInput(attempt);
  const injection = attempt.policy.injection ?? 'pair';
  const plan = selectFold(input, { keep: rung.keep, keepsFirstTurn: rung.keepsFirstTurn, injection });
  if (!plan) return { type: 'rung-done', attempt };
  const { focus } = climbing;
  const source = foldSource(input, { plan, ...(focus === undefined ? {} : { focus }) });
  const { shownTokens } = source;
  if (shownTokens < leastFoldTokens && !climbing.isForced) return { type: 'rung-done', attempt };
  const task: FoldTask = { plan, ...(focus === undefined ? {} : { focus }) };
  const asksModel = rung.writer === 'model' && attempt.policy.summariser?.type === 'model';
  if (asksModel && !climbing.isModelFree) {
    return foldBy(attempt, beginFold(attempt, task), { task, climbing, nextRung: index + 1 });
  }
  const prose = proseWithout(attempt, source, rung.writer === 'none' ? 'none' : 'digest');
  return { type: 'rung-done', attempt: carryOut(attempt, task, prose, source) };
}

interface Ahead {
  readonly climbing: Climb;
  readonly nextRung: number;
}

function waitForReview({ attempt, request, pending }: ReviewQuestion, ahead: Ahead): ModelNeeded {
  return waiting(attempt, { request, pending: { type: 'review', ...pending } }, ahead);
}

function foldBy(
  attempt: Attempt,
  step: FoldStep,
  ahead: Ahead & { readonly task: FoldTask },
): RungDone | ModelNeeded {
  if (step.type === 'ask') {
    return waiting(attempt, { request: step.request, pending: { ...step.pending, type: 'fold' } }, ahead);
  }
  const counted = { ...attempt, summariser: addWork(attempt.summariser, step.work) };
  return {
    type: 'rung-done',
    attempt: step.type === 'written' ? carryOut(counted, ahead.task, step.prose) : counted,
  };
}

function waiting(
  attempt: Attempt,
  { request, pending }: { readonly request: ModelRequest; readonly pending: Pending },
  { climbing, nextRung }: Ahead,
): ModelNeeded {
  const { state, live, rungs, gauge, summariser, background, startTokens, notesTokens, idleMs } = attempt;
  const paused: Paused = {
    version: 1,
    state,
    live,
    rungs,
    gauge,
    summariser,
    background,
    startTokens,
    notesTokens,
    ...(idleMs === undefined ? {} : { idleMs }),
    pending,
    nextRung,
    climbing,
  };
  return { type: 'model-needed', request, paused };
}

/** Goes on with a pass that waited for the model. `attempt` is the pass as it was, built from `paused`. */
export function resumeClimb(attempt: Attempt, paused: Paused, answer: Answer): Climbed {
  const { pending } = paused;
  return pending.type === 'review'
    ? resumeReview(attempt, { ...paused, pending }, answer)
    : resumeFold(attempt, { ...paused, pending }, answer);
}

type Waiting<Type extends Pending['type']> = Paused & { readonly pending: Extract<Pending, { type: Type }> };

/** Where the decisions have changed the view, nothing more is done than what is still needed. */
function resumeReview(attempt: Attempt, paused: Waiting<'review'>, answer: Answer): Climbed {
  const { pending, climbing, nextRung } = paused;
  const step = continueReview(attempt, pending, answer, climbing.focus);
  if (step.type === 'ask') return waitForReview(step, { climbing, nextRung });
  if (step.type === 'cancelled') return step;
  return climb(step.attempt, step.isUsed ? { ...climbing, isForced: false } : climbing, nextRung);
}

function resumeFold(attempt: Attempt, paused: Waiting<'fold'>, answer: Answer): Climbed {
  const { pending, climbing, nextRung } = paused;
  const step = continueFold(attempt, pending, answer);
  const folded = foldBy(attempt, step, { task: pending.task, climbing, nextRung });
  if (folded.type === 'model-needed') return folded;
  if (step.type === 'cancelled') return { type: 'cancelled', attempt: folded.attempt };
  return climb(folded.attempt, { ...climbing, isForced: false }, nextRung);
}

/** The last rung: model-free steps, each once, until the view fits or nothing but the irreducible part is left. */
function fit(attempt: Attempt): Attempt {
  let current = attempt;
  for (const step of fitSteps) {
    const input = stageInput(current);
    if (!step.isNeeded(input)) continue;
    const next = applyRung(current, 'fit', step.run(input), step.name);
    if (actualTokens(next) < actualTokens(current)) current = next;
  }
  return current;
}
