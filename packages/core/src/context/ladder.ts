import { actualTokens, applyRung, isEnough, stageInput } from './attempt.ts';
import { advance, startSummaryJob } from '../summary/summary-job.ts';
import { budgetOf } from '../budget/budget.ts';
import { clear } from '../stages/clear.ts';
import { coding } from '../summary/profiles/coding.ts';
import { digest } from '../summary/digest.ts';
import { fitSteps } from '../stages/fit-steps.ts';
import { fold, foldSource, shownInRange, summaryLimits } from '../stages/fold.ts';
import { selectFold } from '../stages/select-fold.ts';
import type { Answer } from '../summary/model-request.ts';
import type { Attempt } from './attempt.ts';
import type { CompactionReason, ModelNeeded, Paused } from './step.ts';
import type { FoldPlan } from '../stages/select-fold.ts';
import type { Prose } from '../stages/fold.ts';
import type { Profile } from '../summary/profiles/profile.ts';
import type { Rung } from '../strategies/strategy.ts';
import type { SummaryLimits } from '../summary/fold-source.ts';

/** Why the ladder is climbed, and what the user said to it. */
export interface Climb {
  readonly reason: CompactionReason;
  readonly focus?: string;
  /** Rungs with a fold are climbed although nothing presses: the user asked. */
  readonly isForced: boolean;
  /** The trigger the marks are taken from. */
  readonly triggerTokens: number;
}

export type Climbed =
  | { readonly type: 'done'; readonly attempt: Attempt; readonly summariser: SummariserWork }
  | { readonly type: 'cancelled' }
  | ModelNeeded;

/** What asking for the prose came to. */
export interface SummariserWork {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly fallback: string | null;
}

export const noSummariser: SummariserWork = { calls: 0, inputTokens: 0, outputTokens: 0, fallback: null };

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
  return { type: 'done', attempt: fit(current), summariser: noSummariser };
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
  const messageTokens = Math.floor(Math.max(60, Math.min(attempt.measures.summaryMessage, shown * 0.6)));
  const summariser = attempt.policy.summariser ?? { type: 'digest' };
  if (rung.writer === 'model' && summariser.type === 'model') {
    return startJob(attempt, {
      plan,
      messageTokens,
      windowTokens: summariser.windowTokens,
      climbing,
      nextRung: index + 1,
    });
  }
  const source = foldSource(input, { plan, ...focusOf(climbing) });
  const limits = summaryLimits(input, Infinity, messageTokens);
  const prose: Prose =
    rung.writer === 'none'
      ? { text: '', by: 'none', profile: profileOf(attempt).name }
      : {
          text: digest(source, digestLimits(limits), profileOf(attempt)),
          by: 'digest',
          profile: profileOf(attempt).name,
        };
  return {
    type: 'rung-done',
    attempt: finishFold(attempt, { plan, messageTokens, prose, ...focusOf(climbing) }),
  };
}

function focusOf({ focus }: { readonly focus?: string | undefined }): { focus?: string } {
  return focus === undefined ? {} : { focus };
}

function profileOf({ policy }: Attempt): Profile {
  return policy.profile ?? coding;
}

interface JobStart {
  readonly plan: FoldPlan;
  readonly messageTokens: number;
  readonly windowTokens: number;
  readonly climbing: Climb;
  readonly nextRung: number;
}

function startJob(attempt: Attempt, start: JobStart): RungDone | ModelNeeded {
  const { plan, messageTokens, windowTokens, climbing, nextRung } = start;
  const input = stageInput(attempt);
  const source = foldSource(input, { plan, ...focusOf(climbing) });
  const limits = summaryLimits(input, summariserTokens(attempt, windowTokens), messageTokens);
  const job = startSummaryJob(source, limits, profileOf(attempt));
  const paused: Paused = {
    version: 1,
    state: attempt.state,
    live: attempt.live,
    rungs: attempt.rungs,
    nextRung,
    plan,
    messageTokens,
    job,
    reason: climbing.reason,
    triggerTokens: climbing.triggerTokens,
    ...focusOf(climbing),
  };
  const step = advance(source, limits, job);
  if (step.type === 'ask')
    return { type: 'model-needed', request: step.request, paused: { ...paused, job: step.job } };
  const text =
    step.type === 'written' ? step.prose : digest(source, digestLimits(limits), profileOf(attempt));
  const prose: Prose = { text, by: 'digest', profile: profileOf(attempt).name };
  return {
    type: 'rung-done',
    attempt: finishFold(attempt, { plan, messageTokens, prose, ...focusOf(climbing) }),
  };
}

// What the driver may allow a reasoning model beside the visible answer.
const reasoningTokens = 4_000;

/** Most a request to the summariser may cost: what is usable of its own window, in the estimator's tokens. */
function summariserTokens({ gauge }: Attempt, windowTokens: number): number {
  const { usableTokens } = budgetOf({ windowTokens, requestMaxTokens: reasoningTokens });
  return Math.floor(usableTokens / gauge.slope);
}

/** Goes on with a pass that waited for the model. `attempt` is the pass as it was, built from `paused`. */
export function resumeClimb(attempt: Attempt, paused: Paused, answer: Answer, windowTokens: number): Climbed {
  const input = stageInput(attempt);
  const source = foldSource(input, { plan: paused.plan, ...focusOf(paused) });
  const limits = summaryLimits(input, summariserTokens(attempt, windowTokens), paused.messageTokens);
  const step = advance(source, limits, paused.job, answer);
  if (step.type === 'cancelled') return { type: 'cancelled' };
  if (step.type === 'ask')
    return { type: 'model-needed', request: step.request, paused: { ...paused, job: step.job } };
  const prose: Prose = { text: step.prose, by: step.by, profile: profileOf(attempt).name };
  const folded = finishFold(attempt, { ...paused, prose });
  const { reason, triggerTokens } = paused;
  const climbing: Climb = { reason, triggerTokens, isForced: false };
  const climbed = climb(folded, climbing, paused.nextRung);
  if (climbed.type !== 'done') return climbed;
  const { calls, usage } = step;
  return {
    ...climbed,
    summariser: { calls, ...usage, fallback: step.by === 'digest' ? (step.reason ?? 'no answer') : null },
  };
}

/**
 * A digest is written from what the record's own lists hold too: beyond the length a model is asked for, the room is
 * better used by the user's words, the files and the facts (replay at 20k: far recall 0.66 with 2 000 tokens of it).
 */
function digestLimits(limits: SummaryLimits): SummaryLimits {
  return { ...limits, proseTokens: limits.proseTargetTokens };
}

interface WrittenFold {
  readonly plan: FoldPlan;
  readonly messageTokens: number;
  readonly prose: Prose;
  readonly focus?: string;
}

function finishFold(attempt: Attempt, written: WrittenFold): Attempt {
  const { plan, messageTokens, prose } = written;
  const input = stageInput(attempt);
  const source = foldSource(input, { plan, ...focusOf(written) });
  const limits = summaryLimits(input, Infinity, messageTokens);
  const change = fold(input, { plan, source, limits, prose });
  const folded = applyRung(attempt, 'fold', [change], prose.by);
  if (folded.view.tokens >= attempt.view.tokens) return attempt;
  const fault = attempt.policy.strategy.validate?.(attempt.view, folded.view);
  return fault === undefined ? folded : attempt;
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
