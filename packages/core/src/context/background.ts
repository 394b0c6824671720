import { badState } from '../history/check-input.ts';
import { upgradeWaiting } from '../pass/earlier-words.ts';
import { actualTokens, openPass } from '../pass/pass.ts';
import { addWork, beginSummary, carryOut, continueSummary, isStale } from '../pass/pending-summary.ts';
import { isAutomatic } from '../pass/policy.ts';
import { pruneParts } from '../stages/prune-parts.ts';
import { plansFrom, selectRange } from '../stages/select-range.ts';
import { positionOf } from '../transcript/conversation.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';
import type { Pass } from '../pass/pass.ts';
import type { PassRequest, SummariserWork } from '../pass/report.ts';
import type { ContextState } from '../pass/state.ts';
import type { PendingSummary } from '../pass/pending-summary.ts';
import type { KeepRule } from '../stages/choose-cut.ts';
import type { Policy } from '../pass/policy.ts';
import type { CompactionTask, Prose } from '../stages/compact-range.ts';
import type { CompactionPlan } from '../stages/select-range.ts';
import type { LadderStep } from '../strategies/strategy.ts';
import type { Transcript } from '../history/transcript.ts';

/**
 * A summary that may be written while the agent goes on: what is to be compacted, and from the first question on how far
 * the writing is. Plain JSON, without messages.
 */
export type BackgroundJob = { readonly version: 3 } & (CompactionTask | PendingSummary);

/** A summary that lies ready until space is needed. Plain JSON. */
export interface WrittenSummary extends Pick<PendingSummary, 'plan' | 'sourceKey'> {
  readonly version: 3;
  readonly prose: Prose;
  readonly work: SummariserWork;
}

/**
 * What one step of a background job comes to: a question for the model, the finished summary, or `cancelled` where the
 * answer was cancelled. Hand the answer to a question to the next `advanceBackground`, with its `job`.
 */
export type BackgroundStep =
  | { readonly type: 'ask'; readonly request: ModelRequest; readonly job: BackgroundJob }
  | { readonly type: 'written'; readonly written: WrittenSummary }
  | { readonly type: 'cancelled'; readonly work: SummariserWork };

type ModelCompaction = Extract<LadderStep, { type: 'compact' }>;

/**
 * The job that is worth starting now, or `undefined`: from the soft threshold on, where a model writes the summaries,
 * where the user has not switched compaction off or just undone one, and where no pruning will be enough when the
 * trigger is reached. Offered again only after the view has grown by a tenth of the trigger.
 */
export function backgroundJob(pass: Pass): BackgroundJob | undefined {
  const ladderStep = modelCompaction(pass);
  if (!ladderStep || !isDue(pass) || willPruningDo(pass)) return undefined;
  const plan = selectRange(pass, { ...ladderStep, keep: smallerKeep(ladderStep.keep) });
  return plan && { version: 3, plan };
}

function modelCompaction({ policy }: Pass): ModelCompaction | undefined {
  const { background, strategy, summariser } = policy;
  if (background === false || !isAutomatic(policy)) return undefined;
  if (summariser?.type !== 'model') return undefined;
  // A summary that lies ready would take the place of the decisions, which are made when space is needed.
  if (strategy.ladderSteps.some(({ type }) => type === 'review')) return undefined;
  return strategy.ladderSteps.find(
    (ladderStep): ladderStep is ModelCompaction =>
      ladderStep.type === 'compact' && ladderStep.writer === 'model',
  );
}

function isDue(pass: Pass): boolean {
  const { state, budget } = pass;
  const tokens = actualTokens(pass);
  if (
    state.isAutoCompactionPaused ||
    tokens < Math.max(budget.softTokens, state.floorTokens + budget.growthTokens)
  )
    return false;
  return state.offeredTokens === null || Math.abs(tokens - state.offeredTokens) >= budget.growthTokens;
}

/**
 * Whether the strategy prunes, and that will reach the target at the trigger too, if the view grows on as it has grown so
 * far.
 */
function willPruningDo(pass: Pass): boolean {
  const { measures, view, policy } = pass;
  if (!policy.strategy.ladderSteps.some(({ type }) => type === 'prune')) return false;
  const pruned = pruneParts(pass, { targetTokens: 0 });
  const rest = pruned.reduce(
    (sum, { beforeTokens, afterTokens }) => sum + afterTokens - beforeTokens,
    view.tokens,
  );
  return rest * (measures.trigger / Math.max(1, view.tokens)) <= measures.target;
}

/** Messages that arrive before the trigger are kept too, so fewer of today's have to be. */
function smallerKeep(keep: KeepRule): KeepRule {
  return 'share' in keep ? { ...keep, share: keep.share * 0.5 } : keep;
}

/**
 * One step of a background job: the next question to the model, or the summary. `transcript`, `state` and `policy` are
 * those of the step that offered the job, also when the session has gone on since: they are immutable. An answer that
 * is no good makes code write it.
 */
export function advanceBackground(
  from: { readonly transcript: Transcript; readonly state: ContextState; readonly policy: Policy },
  given: BackgroundJob,
  answer?: Answer,
): BackgroundStep {
  const job = upgradeWaiting(given) as BackgroundJob;
  if (job.version !== version) throw badState('a background job of version 3', job);
  const pass = openPass(from.transcript, from.state, from.policy);
  const step = 'sourceKey' in job ? continueSummary(pass, job, answer) : beginSummary(pass, job);
  if (step.type === 'ask') return { type: 'ask', request: step.request, job: { version, ...step.pending } };
  if (step.type === 'cancelled') return step;
  const { plan, prose, work, sourceKey } = step;
  return { type: 'written', written: { version, plan, sourceKey, prose, work } };
}

const version = 3;

interface Adoption {
  readonly pass: Pass;
  readonly passRequest: PassRequest;
}

/**
 * Puts a summary that lies ready in the place of its range, before any ladder step. Nobody waits for a second one in the same
 * pass: what is still above the target goes without a model. A summary whose range was edited, undone or compacted
 * meanwhile is about something else and is left aside, as is one of another version.
 */
export function adopt(pass: Pass, passRequest: PassRequest, given: WrittenSummary | undefined): Adoption {
  const written = upgradeWaiting(given) as WrittenSummary | undefined;
  if (!written || passRequest.focus !== undefined) return { pass, passRequest };
  const plan =
    written.version !== version || isStale(pass, written) ? undefined : replanned(pass, written.plan);
  const adopted = plan ? carryOut(pass, plan, written.prose) : pass;
  if (adopted === pass) return { pass: { ...pass, background: 'discarded' }, passRequest };
  return {
    pass: { ...adopted, background: 'adopted', summariser: addWork(adopted.summariser, written.work) },
    passRequest: { ...passRequest, reason: 'background', isForced: false, isModelFree: true },
  };
}

/** The same range; what stays of it is chosen anew: the latest request or the pins may be others now. */
function replanned(pass: Pass, { first, end }: CompactionPlan): CompactionPlan | undefined {
  const { conversation } = pass.transcript;
  if (!modelCompaction(pass)) return undefined;
  const from = positionOf(conversation, first);
  return plansFrom(pass, from)(positionOf(conversation, end - 1) + 1);
}
