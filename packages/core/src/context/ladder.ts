import { actualTokens, applyRung, isEnough, stageInput, withBudget } from './attempt.ts';
import { addWork, beginFold, carryOut, continueFold, foldTask, proseWithout } from './pending-fold.ts';
import { clear } from '../stages/clear.ts';
import { fitSteps } from '../stages/fit-steps.ts';
import { selectFold } from '../stages/select-fold.ts';
import { shownInRange } from '../stages/fold.ts';
import type { Answer } from '../summary/model-request.ts';
import type { Attempt } from './attempt.ts';
import type { Climb } from './climb.ts';
import type { FoldStep, FoldTask } from './pending-fold.ts';
import type { ModelNeeded, Paused } from './step.ts';
import type { Rung } from '../strategies/strategy.ts';

export type Climbed =
  | { readonly type: 'done'; readonly attempt: Attempt }
  | { readonly type: 'cancelled'; readonly attempt: Attempt }
  | ModelNeeded;

/**
 * Climbs the strategy's rungs, then `fit`: each at most once, each only while the goal is not reached, each measured.
 * Ends in as many steps as there are rungs; stops where prose is needed from a model.
 */
export function climb(attempt: Attempt, climbing: Climb, from = 0): Climbed {
  const { rungs } = attempt.policy.strategy;
  let current = attempt;
  for (let index = from; index < rungs.length; index += 1) {
    const rung = rungs[index] as Rung;
    if (isEnough(current) && !(climbing.isForced && rung.type === 'fold')) continue;
    const climbed =
      rung.type === 'clear' ? clearRung(current, index) : foldRung(current, { climbing, rung, index });
    if (climbed.type === 'model-needed') return climbed;
    current = climbed.attempt;
  }
  return { type: 'done', attempt: fit(climbing.reason === 'manual' ? withBudget(current) : current) };
}

type RungDone = { readonly type: 'rung-done'; readonly attempt: Attempt };

function clearRung(attempt: Attempt, index: number): RungDone {
  const { measures, policy } = attempt;
  const foldFollows = policy.strategy.rungs.slice(index + 1).some(({ type }) => type === 'fold');
  const changes = clear(stageInput(attempt), {
    targetTokens: measures.low,
    keepTokens: measures.keep,
    leastGainTokens: 0,
    onlyIfEnough: foldFollows,
  });
  return { type: 'rung-done', attempt: applyRung(attempt, 'clear', changes) };
}

interface FoldRung {
  readonly climbing: Climb;
  readonly rung: Extract<Rung, { type: 'fold' }>;
  readonly index: number;
}

// A fold that frees less than this is not worth a change of the prefix.
const leastFoldTokens = 200;

function foldRung(attempt: Attempt, { climbing, rung, index }: FoldRung): RungDone | ModelNeeded {
  const input = stageInput(attempt);
  const injection = attempt.policy.injection ?? 'pair';
  const plan = selectFold(input, { keep: rung.keep, keepsFirstTurn: rung.keepsFirstTurn, injection });
  if (!plan) return { type: 'rung-done', attempt };
  const shown = shownInRange(input, plan);
  if (shown < leastFoldTokens && !climbing.isForced) return { type: 'rung-done', attempt };
  const task = foldTask(attempt, { plan, shownTokens: shown, focus: climbing.focus });
  const asksModel = rung.writer === 'model' && attempt.policy.summariser?.type === 'model';
  if (asksModel && !climbing.isModelFree) {
    return foldBy(attempt, beginFold(attempt, task), { task, climbing, nextRung: index + 1 });
  }
  const prose = proseWithout(attempt, task, rung.writer === 'none' ? 'none' : 'digest');
  return { type: 'rung-done', attempt: carryOut(attempt, task, prose) };
}

interface Ahead {
  readonly task: FoldTask;
  readonly climbing: Climb;
  readonly nextRung: number;
}

function foldBy(attempt: Attempt, step: FoldStep, ahead: Ahead): RungDone | ModelNeeded {
  if (step.type === 'ask') return waiting(attempt, step, ahead);
  const counted = { ...attempt, summariser: addWork(attempt.summariser, step.work) };
  return {
    type: 'rung-done',
    attempt: step.type === 'written' ? carryOut(counted, ahead.task, step.prose) : counted,
  };
}

function waiting(
  attempt: Attempt,
  { request, pending }: Extract<FoldStep, { type: 'ask' }>,
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
