import { toActual } from '../budget/measures.ts';
import { changeKey } from '../changes/change.ts';
import { rangesOf, seenTokens } from '../changes/view.ts';
import { renderView } from '../history/render-view.ts';
import { isCacheCold, priceRequest } from '../models/prices.ts';
import { applyLadderStep, openPass, withBudget } from './pass.ts';
import { knownScale, learnedFrom, summariserTokens, withinWindow } from './summariser-scale.ts';
import { compactRange, rangeFrameTokens, summaryLimits, summarySource } from '../stages/compact-range.ts';
import { truncateArguments } from '../stages/prune-parts.ts';
import { standingRanges } from '../stages/select-range.ts';
import { isContent } from '../strategies/strategy.ts';
import { coding } from '../summary/profiles.ts';
import { questionOf } from '../summary/question.ts';
import { advance, onCachedPrefix, startSummaryJob, textTokens } from '../summary/summary-job.ts';
import { positionOf } from '../transcript/conversation.ts';
import { fingerprintRange, fingerprintValue } from '../transcript/fingerprint.ts';
import { remembered } from '../transcript/memory.ts';
import type { View } from '../changes/view.ts';
import type { Pass } from './pass.ts';
import type { CompactionTask, Prose, RangeSource } from '../stages/compact-range.ts';
import type { CompactionPlan } from '../stages/select-range.ts';
import type { Profile } from '../summary/profiles.ts';
import type { SummaryJob } from '../summary/summary-job.ts';
import type { LearnedScale, SummariserWork } from './report.ts';
import type { SummaryLimits, SummarySource, WrittenFrom } from '../summary/collect-summary.ts';
import type { Answer, AnswerUsage, ModelRequest } from '../summary/model-request.ts';

/**
 * What a summary may cost: it fills the view up to the target, at least a quarter of the trigger where other things leave
 * less, and never near as much as what it stands for.
 */
function roomFor(pass: Pass, plan: CompactionPlan, { shownTokens }: RangeSource): number {
  const { measures, view } = pass;
  const staysTokens = Math.max(0, seenTokens(view) - shownTokens) + rangeFrameTokens(pass, plan);
  // A summary that stands is merged, not squeezed, however small the trigger is that the user's request stands for.
  const standing = standingRanges(view).reduce((sum, { afterTokens }) => sum + afterTokens, 0);
  const wanted = Math.min(standing, withBudget(pass).measures.target - staysTokens);
  const most = Math.max(measures.target - staysTokens, measures.summaryLeast, wanted);
  const gaining = standing + Math.max(0, shownTokens - standing) * mostShare;
  return Math.floor(Math.max(60, Math.min(most, gaining)));
}

// A summary grows by at most this share of what is newly compacted.
const mostShare = 0.6;

/**
 * A compaction whose prose a model is writing: what is compacted, and how far the writing is. Plain JSON without messages:
 * the history is handed in again.
 */
export interface PendingSummary extends CompactionTask, SummaryJob {
  /**
   * The key of the messages to be compacted and of the summaries it takes over: with another one the prose is about
   * something else.
   */
  readonly sourceKey: string;
  /** What the answers so far have shown of the model that is asked. */
  readonly learned?: LearnedScale;
}

export type PendingSummaryStep =
  | { readonly type: 'ask'; readonly request: ModelRequest; readonly pending: PendingSummary }
  | {
      readonly type: 'written';
      readonly plan: CompactionPlan;
      readonly prose: Prose;
      readonly work: SummariserWork;
      readonly sourceKey: string;
      /** What it was written from. */
      readonly source: RangeSource;
    }
  | { readonly type: 'cancelled'; readonly work: SummariserWork };

/** Begins a compaction: the first question to the model, or code writes at once where its window is too small to ask. */
export function beginSummary(
  pass: Pass,
  task: CompactionTask,
  source: RangeSource = summarySource(pass, task),
): PendingSummaryStep {
  const from = { source, limits: limitsOf(pass, task.plan, source) };
  const alone = startSummaryJob(from, profileOf(pass));
  const job = cachedPrefixPays(pass, from, alone) ? onCachedPrefix(alone) : alone;
  const sourceKey = sourceKeyOf(pass, task.plan);
  return advanced(pass, { ...task, sourceKey, ...job }, from);
}

/** Goes on with a compaction; without an answer it states the open question again. */
export function continueSummary(pass: Pass, pending: PendingSummary, answer?: Answer): PendingSummaryStep {
  const source = summarySource(pass, pending);
  return advanced(pass, pending, { source, limits: limitsOf(pass, pending.plan, source) }, answer);
}

function advanced(
  pass: Pass,
  pending: PendingSummary,
  from: WrittenFrom & { readonly source: RangeSource },
  answer?: Answer,
): PendingSummaryStep {
  const { plan, focus, sourceKey } = pending;
  const { learned, told } = answer
    ? learnSummariser(pass, pending, from, answer)
    : { learned: pending.learned };
  const step = advance(from, pending, told);
  if (step.type === 'ask') {
    const { usesCachedPrefix } = step.job;
    const request = usesCachedPrefix
      ? { ...step.request, cachedPrefix: requestSent(pass).messages }
      : step.request;
    const about = { plan, sourceKey, ...(focus !== undefined && { focus }), ...(learned && { learned }) };
    return { type: 'ask', request, pending: { ...step.job, ...about } };
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
  const prose: Prose = { text: step.prose, by: step.by, end: step.end, profile };
  const fallback = step.by === 'code' ? (step.reason ?? 'no answer') : null;
  return { type: 'written', plan, prose, work: { ...work, fallback }, sourceKey, source: from.source };
}

/** What an answer has shown of its model; and the limit that a refusal names, in the estimator's tokens. */
function learnSummariser(
  pass: Pass,
  pending: PendingSummary,
  from: WrittenFrom,
  answer: Answer,
): { readonly learned: LearnedScale; readonly told: Answer } {
  const known = pending.learned ?? knownScale(pass);
  const asked = advance(from, pending);
  if (asked.type !== 'ask' || pending.usesCachedPrefix) return { learned: known, told: answer };
  const learned = learnedFrom(known, { request: asked.request, answer }, from.limits.estimator);
  const isNamed = answer.type === 'failed' && answer.cause === 'overflow' && learned !== known;
  return {
    learned,
    told: isNamed ? { ...answer, limitTokens: summariserTokens(pass, learned) } : answer,
  };
}

/** Whether the history or the view has changed so that the pending prose is about something else. */
export function isStale(
  pass: Pass,
  { plan, sourceKey }: Pick<PendingSummary, 'plan' | 'sourceKey'>,
): boolean {
  return sourceKeyOf(pass, plan) !== sourceKey;
}

/** The key of what the view shows of a range. A range inside it tells by itself what it stands for. */
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
  plan: CompactionPlan,
  prose: Prose,
  source: RangeSource = summarySource(pass, { plan }),
): Pass {
  const start = withShortArguments(pass, plan);
  const limits = summaryLimits(start, roomFor(start, plan, source));
  const change = compactRange(start, { plan, source, limits, prose });
  const compacted = applyLadderStep(start, 'compact', [change], prose.by);
  if (compacted.view.tokens >= pass.view.tokens) return pass;
  return isContent(pass.policy.strategy, pass.view, compacted.view) ? compacted : pass;
}

/** The pass in which what stays behind a range takes no more room than results may. The prefix changes anyway. */
function withShortArguments(pass: Pass, { end }: CompactionPlan): Pass {
  const from = positionOf(pass.view.conversation, end - 1) + 1;
  return applyLadderStep(pass, 'prune', truncateArguments(withBudget(pass), from), 'long arguments');
}

function limitsOf(pass: Pass, plan: CompactionPlan, source: RangeSource): SummaryLimits {
  const room = roomFor(withShortArguments(pass, plan), plan, source);
  return withinWindow(summaryLimits(pass, room, summariserTokens(pass)));
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

/**
 * Whether the question for a summary should go behind the messages of the session instead of standing alone: the host
 * can do it, it fits beside what was sent last, and it costs less. Behind, the provider reads the whole conversation
 * from its cache; alone, a truncated text of it is paid in full, at the price of the summariser.
 */
function cachedPrefixPays(pass: Pass, from: WrittenFrom, job: SummaryJob): boolean {
  const { summariser, pricing } = pass.policy;
  if (summariser?.type !== 'model' || summariser.canUseCachedPrefix !== true || !pricing) return false;
  if (isCacheCold(pricing, pass.idleMs)) return false;
  const { messages, view } = requestSent(pass);
  if (messages.length === 0) return false;
  const { tokenScale, budget } = pass;
  const cachedTokens = toActual(tokenScale, seenTokens(view));
  const { estimator, proseTargetTokens: outputTokens } = from.limits;
  const questionTokens = tokenScale.slope * estimator.count(questionText(from, job));
  const inputTokens = cachedTokens + questionTokens;
  if (inputTokens > budget.usableTokens) return false;
  const aloneTokens = tokenScale.slope * textTokens(from, job);
  const cachedPrefixUsd = priceRequest(pricing, { inputTokens, cachedTokens, outputTokens });
  const aloneUsd = priceRequest(summariser.pricing ?? pricing, {
    inputTokens: aloneTokens,
    outputTokens: outputTokens * job.chunkEnds.length,
  });
  return cachedPrefixUsd < aloneUsd;
}

function questionText(from: WrittenFrom, job: SummaryJob): string {
  return questionOf(from, job)
    .messages.map(({ content }) => content)
    .join('\n');
}

interface SentRequest {
  /** The view as this step found it, before anything was done in it. */
  readonly view: View;
  /** Its messages, byte for byte, up to the response the model gave to them. Empty before the first response. */
  readonly messages: readonly unknown[];
}

/** The request that was sent last. Opened once for each pass. */
const requestSent = remembered(({ transcript, state, policy, idleMs }: Pass): SentRequest => {
  const { view } = openPass(transcript, state, policy, { idleMs });
  const responseAt = lastResponse(view);
  const ordinal = transcript.conversation.entries.at(responseAt)?.ordinal;
  if (responseAt < 0 || ordinal === undefined) return { view, messages: [] };
  const { messages } = renderView(transcript, view);
  const end = messages.findIndex((one) => one.ordinal !== undefined && one.ordinal >= ordinal);
  return { view, messages: messages.slice(0, Math.max(0, end)).map(({ message }) => message) };
});

/**
 * Position where the last response of the model begins: some formats spread one over several messages. -1 where it was
 * compacted: what was sent before it is not the beginning of this view.
 */
function lastResponse({ conversation: { entries }, tailFrom }: View): number {
  let position = entries.length - 1;
  while (position >= tailFrom && entries.at(position)?.role !== 'assistant') position -= 1;
  if (position < tailFrom) return -1;
  while (position > tailFrom && entries.at(position - 1)?.role === 'assistant') position -= 1;
  return position;
}
