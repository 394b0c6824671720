import { actualTokens, openAttempt, stageInput } from './attempt.ts';
import { addWork, beginFold, carryOut, continueFold, isStale } from './pending-fold.ts';
import { clear } from '../stages/clear.ts';
import { planAt, selectFold } from '../stages/select-fold.ts';
import { positionOf } from '../transcript/conversation.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';
import type { Attempt } from './attempt.ts';
import type { Climb } from './climb.ts';
import type { ContextState } from './state.ts';
import type { FoldStep, FoldTask, PendingFold } from './pending-fold.ts';
import type { KeepRule } from '../stages/keep-rule.ts';
import type { Policy } from './policy.ts';
import type { Prose } from '../stages/fold.ts';
import type { Rung } from '../strategies/strategy.ts';
import type { SummariserWork } from './report.ts';
import type { Transcript } from './transcript.ts';

/** A summary that may be written while the agent goes on. Plain JSON, without messages. */
export interface BackgroundJob {
  readonly version: 1;
  readonly task: FoldTask;
  /** `null` before the first question. */
  readonly pending: PendingFold | null;
}

/** A summary that lies ready until space is needed. Plain JSON. */
export interface WrittenSummary {
  readonly version: 1;
  readonly task: FoldTask;
  /** Of what it is about. */
  readonly sourceKey: string;
  readonly prose: Prose;
  readonly work: SummariserWork;
}

export type BackgroundStep =
  | { readonly type: 'ask'; readonly request: ModelRequest; readonly job: BackgroundJob }
  | { readonly type: 'written'; readonly written: WrittenSummary }
  | { readonly type: 'cancelled'; readonly work: SummariserWork };

type ModelFold = Extract<Rung, { type: 'fold' }>;

/**
 * The job that is worth starting now, or `undefined`: from the soft threshold on, where a model writes the summaries,
 * where the user has not switched compaction off or just undone one, and where clearing alone will not be enough when
 * the trigger is reached. Offered again only after the view has grown by a tenth of the trigger.
 */
export function backgroundJob(attempt: Attempt): BackgroundJob | undefined {
  const rung = modelFold(attempt);
  if (!rung || !isDue(attempt) || willClearingDo(attempt)) return undefined;
  const { injection = 'pair' } = attempt.policy;
  const { keepsFirstTurn } = rung;
  const input = stageInput(attempt);
  const plan = selectFold(input, { keep: smallerKeep(rung.keep), keepsFirstTurn, injection });
  if (!plan) return undefined;
  return { version: 1, task: { plan }, pending: null };
}

function modelFold({ policy }: Attempt): ModelFold | undefined {
  const { background, auto, strategy, summariser } = policy;
  if (background === false || auto === false || strategy.trigger === 'manual') return undefined;
  if (summariser?.type !== 'model') return undefined;
  // A summary that lies ready would take the place of the decisions, which are made when space is needed.
  if (strategy.rungs.some(({ type }) => type === 'review')) return undefined;
  return strategy.rungs.find((rung): rung is ModelFold => rung.type === 'fold' && rung.writer === 'model');
}

function isDue(attempt: Attempt): boolean {
  const { state, budget } = attempt;
  const tokens = actualTokens(attempt);
  if (state.isHeld || tokens < Math.max(budget.softTokens, state.floorTokens + budget.growthTokens))
    return false;
  return state.offeredTokens === null || Math.abs(tokens - state.offeredTokens) >= budget.growthTokens;
}

/** Whether clearing will reach the low mark at the trigger too, if the view grows on as it has grown so far. */
function willClearingDo(attempt: Attempt): boolean {
  const { measures, view } = attempt;
  const cleared = clear(stageInput(attempt), {
    targetTokens: 0,
    keep: measures.keep,
    leastGainTokens: 0,
    onlyIfEnough: false,
  });
  const rest = cleared.reduce(
    (sum, { beforeTokens, afterTokens }) => sum + afterTokens - beforeTokens,
    view.tokens,
  );
  return rest * (measures.trigger / Math.max(1, view.tokens)) <= measures.low;
}

/** What comes until the trigger is reached stays whole on top: of what is there now, less has to. */
function smallerKeep(keep: KeepRule): KeepRule {
  return 'share' in keep ? { ...keep, share: keep.share * 0.5 } : keep;
}

/**
 * One step of a background job: the next question to the model, or the summary. `transcript`, `state` and `policy` are
 * those of the step that offered the job, also when the session has gone on since: they are immutable. An answer that
 * is no good makes the digest write.
 */
export function advanceBackground(
  from: { readonly transcript: Transcript; readonly state: ContextState; readonly policy: Policy },
  job: BackgroundJob,
  answer?: Answer,
): BackgroundStep {
  const attempt = openAttempt(from.transcript, from.state, from.policy);
  const step = job.pending ? continueFold(attempt, job.pending, answer) : beginFold(attempt, job.task);
  return stepOf(attempt, job, step);
}

function stepOf(attempt: Attempt, job: BackgroundJob, step: FoldStep): BackgroundStep {
  if (step.type === 'ask') {
    return { type: 'ask', request: step.request, job: { ...job, pending: step.pending } };
  }
  if (step.type === 'cancelled') return step;
  const { prose, work, sourceKey } = step;
  return { type: 'written', written: { version: 1, task: job.task, sourceKey, prose, work } };
}

export interface Adoption {
  readonly attempt: Attempt;
  readonly climbing: Climb;
}

/**
 * Puts a summary that lies ready in the place of its range, before any rung. Nobody waits for a second one in the same
 * pass: what is still above the low mark goes without a model. A summary whose range was edited, undone or folded
 * meanwhile is about something else and is left aside.
 */
export function adopt(attempt: Attempt, climbing: Climb, written: WrittenSummary | undefined): Adoption {
  if (!written || climbing.focus !== undefined) return { attempt, climbing };
  const task = isStale(attempt, written) ? undefined : replanned(attempt, written.task);
  const adopted = task ? carryOut(attempt, task, written.prose) : attempt;
  if (adopted === attempt) return { attempt: { ...attempt, background: 'discarded' }, climbing };
  return {
    attempt: { ...adopted, background: 'adopted', summariser: addWork(adopted.summariser, written.work) },
    climbing: { ...climbing, reason: 'background', isForced: false, isModelFree: true },
  };
}

/** The same range; what stays of it is chosen anew: the latest request or the pins may be others now. */
function replanned(attempt: Attempt, task: FoldTask): FoldTask | undefined {
  const { conversation } = attempt.transcript;
  const { first, end } = task.plan;
  const rung = modelFold(attempt);
  if (!rung) return undefined;
  const { injection = 'pair' } = attempt.policy;
  const selection = { keep: rung.keep, keepsFirstTurn: rung.keepsFirstTurn, injection };
  const plan = planAt(
    stageInput(attempt),
    positionOf(conversation, first),
    positionOf(conversation, end - 1) + 1,
    selection,
  );
  return { ...task, plan };
}
