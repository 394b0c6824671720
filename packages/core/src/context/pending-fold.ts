import { isContent } from '../strategies/strategy.ts';
import { advance, riding, startSummaryJob } from '../summary/summary-job.ts';
import { applyRung, stageInput } from './attempt.ts';
import { changeKey } from '../changes/change-key.ts';
import { coding } from '../summary/profiles/coding.ts';
import { fingerprintRange, fingerprintValue } from '../transcript/fingerprint.ts';
import { fold, foldSource, rangeFrameTokens, shownInRange, summaryLimits } from '../stages/fold.ts';
import { measuresOf } from '../budget/measures.ts';
import { messagesSent, ridePays } from './ride.ts';
import { recordRoom } from '../stages/record-room.ts';
import { rangesOf, seenTokens } from '../changes/view.ts';
import { knownScale, learnedFrom, summariserTokens, withinWindow } from './summariser-scale.ts';
import { standingRanges } from '../stages/select-fold.ts';
import type { Answer, AnswerUsage, ModelRequest } from '../summary/model-request.ts';
import type { Attempt } from './attempt.ts';
import type { FoldPlan } from '../stages/select-fold.ts';
import type { FoldSource, SummaryLimits } from '../summary/fold-source.ts';
import type { RecordRoom } from '../stages/record-room.ts';
import type { Profile } from '../summary/profiles/profile.ts';
import type { Prose, RangeSource } from '../stages/fold.ts';
import type { SummariserWork } from './report.ts';
import type { LearnedScale } from './learned-scale.ts';
import type { StageInput } from '../stages/stage-input.ts';
import type { SummaryJob } from '../summary/summary-job.ts';

/** What is folded, and what the user asked the summary to pay attention to. */
export interface FoldTask {
  readonly plan: FoldPlan;
  readonly focus?: string;
}

/**
 * What a summary may cost: it fills the view up to the target, at least a quarter of the trigger where other things leave
 * less, and never near as much as what it stands for.
 */
function roomOf({ measures, view, budget, gauge }: Attempt, plan: FoldPlan, input: StageInput): RecordRoom {
  const shownTokens = shownInRange(input, plan);
  const staysTokens = Math.max(0, seenTokens(view) - shownTokens) + rangeFrameTokens(input, plan);
  // A summary that stands is merged, not squeezed, however small the trigger is that the user's request stands for.
  const standing = standingRanges(view).reduce((sum, { afterTokens }) => sum + afterTokens, 0);
  const wanted = Math.min(standing, measuresOf(budget, gauge).low - staysTokens);
  const most = Math.max(measures.low - staysTokens, measures.summaryLeast, wanted);
  const gaining = standing + Math.max(0, shownTokens - standing) * mostShare;
  return recordRoom(measures, Math.floor(Math.max(60, Math.min(most, gaining))));
}

// Of what is newly compacted.
const mostShare = 0.6;

/** A fold whose prose a model is writing. Plain JSON without messages: the history is handed in again. */
export interface PendingFold {
  readonly task: FoldTask;
  readonly job: SummaryJob;
  /** Of the messages to be folded and the records it takes over: with another one the prose is about something else. */
  readonly sourceKey: string;
  /** What the answers so far have shown of the model that is asked. */
  readonly learned?: LearnedScale;
}

export type FoldStep =
  | { readonly type: 'ask'; readonly request: ModelRequest; readonly pending: PendingFold }
  | {
      readonly type: 'written';
      readonly prose: Prose;
      readonly work: SummariserWork;
      readonly sourceKey: string;
    }
  | { readonly type: 'cancelled'; readonly work: SummariserWork };

/** Begins a fold: the first question to the model, or the digest at once where its window is too small to ask. */
export function beginFold(attempt: Attempt, task: FoldTask): FoldStep {
  const { source, limits } = inputOf(attempt, task);
  const alone = startSummaryJob(source, limits, profileOf(attempt));
  const job = ridePays(attempt, source, limits, alone) ? riding(alone) : alone;
  return continueFold(attempt, { task, job, sourceKey: sourceKeyOf(attempt, task.plan) });
}

/** Goes on with a fold; without an answer it states the open question again. */
export function continueFold(attempt: Attempt, pending: PendingFold, answer?: Answer): FoldStep {
  const { source, limits } = inputOf(attempt, pending.task);
  const { learned, told } = answer ? learnFold(attempt, pending, answer) : { learned: pending.learned };
  const step = advance(source, limits, pending.job, told);
  if (step.type === 'ask') {
    const { rides } = step.job;
    const request = rides ? { ...step.request, behind: messagesSent(attempt) } : step.request;
    return { type: 'ask', request, pending: { ...pending, job: step.job, ...(learned && { learned }) } };
  }
  const { calls, ridden, invented } = step;
  const work: SummariserWork = {
    calls,
    ...step.usage,
    ...(ridden && { ridden }),
    fallback: null,
    review: null,
    ...(invented > 0 && { inventedLines: invented }),
    ...(learned && { learned }),
  };
  if (step.type === 'cancelled') return { type: 'cancelled', work };
  const profile = profileOf(attempt).name;
  const { sourceKey } = pending;
  const prose: Prose = { text: step.prose, by: step.by, end: step.end, profile };
  const fallback = step.by === 'digest' ? (step.reason ?? 'no answer') : null;
  return { type: 'written', prose, work: { ...work, fallback }, sourceKey };
}

/** What an answer has shown of its model; and the limit that a refusal names, in the estimator's tokens. */
function learnFold(
  attempt: Attempt,
  pending: PendingFold,
  answer: Answer,
): { readonly learned: LearnedScale; readonly told: Answer } {
  const { source, limits } = inputOf(attempt, pending.task);
  const known = pending.learned ?? knownScale(attempt);
  const asked = advance(source, limits, pending.job);
  if (asked.type !== 'ask' || pending.job.rides) return { learned: known, told: answer };
  const learned = learnedFrom(known, { request: asked.request, answer }, limits.estimator);
  const isNamed = answer.type === 'failed' && answer.cause === 'overflow' && learned !== known;
  return {
    learned,
    told: isNamed ? { ...answer, limitTokens: summariserTokens(attempt, learned) } : answer,
  };
}

/** Whether the history or the view has changed so that the pending prose is about something else. */
export function isStale(
  attempt: Attempt,
  { task, sourceKey }: { readonly task: FoldTask; readonly sourceKey: string },
): boolean {
  return sourceKeyOf(attempt, task.plan) !== sourceKey;
}

/** Of what the view shows of the range: what a range in it stands for is told by that range. */
function sourceKeyOf({ view }: Attempt, { first, end }: FoldPlan): string {
  const taken = rangesOf(view).filter(({ anchor }) => anchor.first < end && first < anchor.end);
  const shown = view.items.slice().flatMap((item) => (item.type === 'entry' ? [item.entry] : []));
  const inside = shown.filter(({ ordinal }) => ordinal >= first && ordinal < end);
  return fingerprintValue([first, end, fingerprintRange(inside), ...taken.map(changeKey)]);
}

/** What stands in the place of prose where no model is asked: that of earlier rounds, and else the timeline alone. */
export function proseWithout(attempt: Attempt, { previous }: FoldSource, by: 'digest' | 'none'): Prose {
  const { name: profile } = profileOf(attempt);
  return { text: previous?.prose ?? '', by, end: previous?.proseEnd ?? -1, profile };
}

/** The attempt with the fold carried out; as it was where that gains nothing, or where the strategy finds a fault. */
export function carryOut(
  attempt: Attempt,
  task: FoldTask,
  prose: Prose,
  source: RangeSource = foldSource(stageInput(attempt), task),
): Attempt {
  const input = stageInput(attempt);
  const limits = summaryLimits(input, Infinity, roomOf(attempt, task.plan, input));
  const change = fold(input, { plan: task.plan, source, limits, prose });
  const folded = applyRung(attempt, 'fold', [change], prose.by);
  if (folded.view.tokens >= attempt.view.tokens) return attempt;
  return isContent(attempt.policy.strategy, attempt.view, folded.view) ? folded : attempt;
}

function inputOf(attempt: Attempt, task: FoldTask): { source: FoldSource; limits: SummaryLimits } {
  const input = stageInput(attempt);
  const limits = summaryLimits(input, summariserTokens(attempt), roomOf(attempt, task.plan, input));
  return { source: foldSource(input, task), limits: withinWindow(limits) };
}

function profileOf({ policy }: Attempt): Profile {
  return policy.profile ?? coding;
}

/** The work of two questions together; the newer reason for a digest counts. */
export function addWork(first: SummariserWork, second: SummariserWork): SummariserWork {
  const ridden = (first.ridden ?? second.ridden) && { ridden: addUsage(first.ridden, second.ridden) };
  const learned = second.learned ?? first.learned;
  const inventedLines = (first.inventedLines ?? 0) + (second.inventedLines ?? 0);
  return {
    calls: first.calls + second.calls,
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    fallback: second.fallback ?? first.fallback,
    review: second.review ?? first.review ?? null,
    ...ridden,
    ...(inventedLines > 0 && { inventedLines }),
    ...(learned && { learned }),
  };
}

function addUsage(first?: AnswerUsage, second?: AnswerUsage): AnswerUsage {
  return {
    inputTokens: (first?.inputTokens ?? 0) + (second?.inputTokens ?? 0),
    outputTokens: (first?.outputTokens ?? 0) + (second?.outputTokens ?? 0),
    cachedTokens: (first?.cachedTokens ?? 0) + (second?.cachedTokens ?? 0),
  };
}
