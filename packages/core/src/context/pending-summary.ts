import { isContent } from '../strategies/strategy.ts';
import { advance, onCachedPrefix, startSummaryJob } from '../summary/summary-job.ts';
import { applyLadderStep, stageInput } from './pass.ts';
import { changeKey } from '../changes/change-key.ts';
import { coding } from '../summary/profiles/coding.ts';
import { fingerprintRange, fingerprintValue } from '../transcript/fingerprint.ts';
import {
  compactRange,
  rangeFrameTokens,
  shownInRange,
  summaryLimits,
  summaryRoom,
  summarySource,
} from '../stages/compact-range.ts';
import { measuresOf } from '../budget/measures.ts';
import { messagesSent, cachedPrefixPays } from './cached-prefix.ts';
import { rangesOf, seenTokens } from '../changes/view.ts';
import { knownScale, learnedFrom, summariserTokens, withinWindow } from './summariser-scale.ts';
import { standingRanges } from '../stages/select-range.ts';
import type { Answer, AnswerUsage, ModelRequest } from '../summary/model-request.ts';
import type { Pass } from './pass.ts';
import type { CompactionPlan } from '../stages/select-range.ts';
import type { SummarySource, SummaryLimits } from '../summary/collect-summary.ts';
import type { Prose, RangeSource, SummaryRoom } from '../stages/compact-range.ts';
import type { Profile } from '../summary/profiles/profile.ts';
import type { SummariserWork } from './report.ts';
import type { LearnedScale } from './learned-scale.ts';
import type { StageInput } from '../stages/stage-input.ts';
import type { SummaryJob } from '../summary/summary-job.ts';

/** What is compacted, and what the user asked the summary to pay attention to. */
export interface CompactionTask {
  readonly plan: CompactionPlan;
  readonly focus?: string;
}

/**
 * What a summary may cost: it fills the view up to the target, at least a quarter of the trigger where other things leave
 * less, and never near as much as what it stands for.
 */
function roomOf(
  { measures, view, budget, tokenScale }: Pass,
  plan: CompactionPlan,
  input: StageInput,
): SummaryRoom {
  const shownTokens = shownInRange(input, plan);
  const staysTokens = Math.max(0, seenTokens(view) - shownTokens) + rangeFrameTokens(input, plan);
  // A summary that stands is merged, not squeezed, however small the trigger is that the user's request stands for.
  const standing = standingRanges(view).reduce((sum, { afterTokens }) => sum + afterTokens, 0);
  const wanted = Math.min(standing, measuresOf(budget, tokenScale).target - staysTokens);
  const most = Math.max(measures.target - staysTokens, measures.summaryLeast, wanted);
  const gaining = standing + Math.max(0, shownTokens - standing) * mostShare;
  return summaryRoom(measures, Math.floor(Math.max(60, Math.min(most, gaining))));
}

// Of what is newly compacted.
const mostShare = 0.6;

/** A compaction whose prose a model is writing. Plain JSON without messages: the history is handed in again. */
export interface PendingSummary {
  readonly task: CompactionTask;
  readonly job: SummaryJob;
  /** Of the messages to be compacted and the summaries it takes over: with another one the prose is about something else. */
  readonly sourceKey: string;
  /** What the answers so far have shown of the model that is asked. */
  readonly learned?: LearnedScale;
}

export type PendingSummaryStep =
  | { readonly type: 'ask'; readonly request: ModelRequest; readonly pending: PendingSummary }
  | {
      readonly type: 'written';
      readonly prose: Prose;
      readonly work: SummariserWork;
      readonly sourceKey: string;
    }
  | { readonly type: 'cancelled'; readonly work: SummariserWork };

/** Begins a compaction: the first question to the model, or code writes at once where its window is too small to ask. */
export function beginSummary(pass: Pass, task: CompactionTask): PendingSummaryStep {
  const { source, limits } = inputOf(pass, task);
  const alone = startSummaryJob(source, limits, profileOf(pass));
  const job = cachedPrefixPays(pass, source, limits, alone) ? onCachedPrefix(alone) : alone;
  return continueSummary(pass, { task, job, sourceKey: sourceKeyOf(pass, task.plan) });
}

/** Goes on with a compaction; without an answer it states the open question again. */
export function continueSummary(pass: Pass, pending: PendingSummary, answer?: Answer): PendingSummaryStep {
  const { source, limits } = inputOf(pass, pending.task);
  const { learned, told } = answer ? learnSummariser(pass, pending, answer) : { learned: pending.learned };
  const step = advance(source, limits, pending.job, told);
  if (step.type === 'ask') {
    const { usesCachedPrefix } = step.job;
    const request = usesCachedPrefix ? { ...step.request, cachedPrefix: messagesSent(pass) } : step.request;
    return { type: 'ask', request, pending: { ...pending, job: step.job, ...(learned && { learned }) } };
  }
  const { calls, cachedPrefixUsage, invented } = step;
  const work: SummariserWork = {
    calls,
    ...step.usage,
    ...(cachedPrefixUsage && { cachedPrefixUsage }),
    fallback: null,
    review: null,
    ...(invented > 0 && { inventedLines: invented }),
    ...(learned && { learned }),
  };
  if (step.type === 'cancelled') return { type: 'cancelled', work };
  const profile = profileOf(pass).name;
  const { sourceKey } = pending;
  const prose: Prose = { text: step.prose, by: step.by, end: step.end, profile };
  const fallback = step.by === 'code' ? (step.reason ?? 'no answer') : null;
  return { type: 'written', prose, work: { ...work, fallback }, sourceKey };
}

/** What an answer has shown of its model; and the limit that a refusal names, in the estimator's tokens. */
function learnSummariser(
  pass: Pass,
  pending: PendingSummary,
  answer: Answer,
): { readonly learned: LearnedScale; readonly told: Answer } {
  const { source, limits } = inputOf(pass, pending.task);
  const known = pending.learned ?? knownScale(pass);
  const asked = advance(source, limits, pending.job);
  if (asked.type !== 'ask' || pending.job.usesCachedPrefix) return { learned: known, told: answer };
  const learned = learnedFrom(known, { request: asked.request, answer }, limits.estimator);
  const isNamed = answer.type === 'failed' && answer.cause === 'overflow' && learned !== known;
  return {
    learned,
    told: isNamed ? { ...answer, limitTokens: summariserTokens(pass, learned) } : answer,
  };
}

/** Whether the history or the view has changed so that the pending prose is about something else. */
export function isStale(
  pass: Pass,
  { task, sourceKey }: { readonly task: CompactionTask; readonly sourceKey: string },
): boolean {
  return sourceKeyOf(pass, task.plan) !== sourceKey;
}

/** Of what the view shows of the range: what a range in it stands for is told by that range. */
function sourceKeyOf({ view }: Pass, { first, end }: CompactionPlan): string {
  const taken = rangesOf(view).filter(({ anchor }) => anchor.first < end && first < anchor.end);
  const shown = view.items.slice().flatMap((item) => (item.type === 'entry' ? [item.entry] : []));
  const inside = shown.filter(({ ordinal }) => ordinal >= first && ordinal < end);
  return fingerprintValue([first, end, fingerprintRange(inside), ...taken.map(changeKey)]);
}

/** What stands in the place of prose where no model is asked: that of earlier rounds, and else the timeline alone. */
export function proseWithout(pass: Pass, { previous }: SummarySource, by: 'code' | 'none'): Prose {
  const { name: profile } = profileOf(pass);
  return { text: previous?.prose ?? '', by, end: previous?.proseEnd ?? -1, profile };
}

/** The pass with the compaction carried out; as it was where that gains nothing, or where the strategy finds a fault. */
export function carryOut(
  pass: Pass,
  task: CompactionTask,
  prose: Prose,
  source: RangeSource = summarySource(stageInput(pass), task),
): Pass {
  const input = stageInput(pass);
  const limits = summaryLimits(input, Infinity, roomOf(pass, task.plan, input));
  const change = compactRange(input, { plan: task.plan, source, limits, prose });
  const compacted = applyLadderStep(pass, 'compact', [change], prose.by);
  if (compacted.view.tokens >= pass.view.tokens) return pass;
  return isContent(pass.policy.strategy, pass.view, compacted.view) ? compacted : pass;
}

function inputOf(pass: Pass, task: CompactionTask): { source: SummarySource; limits: SummaryLimits } {
  const input = stageInput(pass);
  const limits = summaryLimits(input, summariserTokens(pass), roomOf(pass, task.plan, input));
  return { source: summarySource(input, task), limits: withinWindow(limits) };
}

function profileOf({ policy }: Pass): Profile {
  return policy.profile ?? coding;
}

/** The work of two questions together; the newer reason counts. */
export function addWork(first: SummariserWork, second: SummariserWork): SummariserWork {
  const cachedPrefixUsage = (first.cachedPrefixUsage ?? second.cachedPrefixUsage) && {
    cachedPrefixUsage: addUsage(first.cachedPrefixUsage, second.cachedPrefixUsage),
  };
  const learned = second.learned ?? first.learned;
  const inventedLines = (first.inventedLines ?? 0) + (second.inventedLines ?? 0);
  return {
    calls: first.calls + second.calls,
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    fallback: second.fallback ?? first.fallback,
    review: second.review ?? first.review ?? null,
    ...cachedPrefixUsage,
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
