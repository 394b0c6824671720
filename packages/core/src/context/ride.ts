import { isCacheCold, priceRequest } from '../models/price-request.ts';
import { openAttempt } from './attempt.ts';
import { questionOf } from '../summary/question.ts';
import { renderView } from './render-view.ts';
import { seenTokens } from '../changes/view.ts';
import { textTokens } from '../summary/summary-job.ts';
import { toActual } from '../budget/gauge.ts';
import type { Attempt } from './attempt.ts';
import type { FoldSource, SummaryLimits } from '../summary/fold-source.ts';
import type { SummaryJob } from '../summary/summary-job.ts';
import type { View } from '../changes/view.ts';

/**
 * Whether the question for a summary should go behind the messages of the session instead of standing alone: the host
 * can do it, it fits beside what was sent last, and it costs less. Behind, the provider reads the whole conversation
 * from its cache; alone, a shortened text of it is paid in full, at the price of the summariser.
 */
export function ridePays(
  attempt: Attempt,
  source: FoldSource,
  limits: SummaryLimits,
  job: SummaryJob,
): boolean {
  const { summariser, pricing } = attempt.policy;
  if (summariser?.type !== 'model' || summariser.canRide !== true || !pricing) return false;
  if (isCacheCold(pricing, attempt.idleMs) || messagesSent(attempt).length === 0) return false;
  const { gauge, budget } = attempt;
  const cachedTokens = toActual(gauge, seenTokens(asSent(attempt).view));
  const questionTokens = gauge.slope * limits.estimator.count(questionText(source, limits, job));
  const inputTokens = cachedTokens + questionTokens;
  if (inputTokens > budget.usableTokens) return false;
  const outputTokens = limits.proseTargetTokens;
  const aloneTokens = gauge.slope * textTokens(source, limits, job);
  const rideUsd = priceRequest(pricing, { inputTokens, cachedTokens, outputTokens });
  const aloneUsd = priceRequest(summariser.pricing ?? pricing, {
    inputTokens: aloneTokens,
    outputTokens: outputTokens * job.chunkEnds.length,
  });
  return rideUsd < aloneUsd;
}

function questionText(source: FoldSource, limits: SummaryLimits, job: SummaryJob): string {
  return questionOf(source, limits, job)
    .messages.map(({ content }) => content)
    .join('\n');
}

/**
 * The messages of the request that was sent last, byte for byte: the view as this step found it, up to the response the
 * model gave to it. Empty before the first response.
 */
export function messagesSent(attempt: Attempt): readonly unknown[] {
  const { view, transcript } = asSent(attempt);
  const responseAt = lastResponse(view);
  const ordinal = transcript.conversation.entries.at(responseAt)?.ordinal;
  if (responseAt < 0 || ordinal === undefined) return [];
  const { messages } = renderView(transcript, view);
  const end = messages.findIndex((one) => one.ordinal !== undefined && one.ordinal >= ordinal);
  return messages.slice(0, Math.max(0, end)).map(({ message }) => message);
}

/** The pass before anything was done in it. */
function asSent({ transcript, state, policy, idleMs }: Attempt): Attempt {
  return openAttempt(transcript, state, policy, { idleMs });
}

/**
 * Position where the last response of the model begins: some formats spread one over several messages. -1 where it was
 * folded: what was sent before it is not the beginning of this view.
 */
function lastResponse({ conversation: { entries }, tailFrom }: View): number {
  let position = entries.length - 1;
  while (position >= tailFrom && entries.at(position)?.role !== 'assistant') position -= 1;
  if (position < tailFrom) return -1;
  while (position > tailFrom && entries.at(position - 1)?.role === 'assistant') position -= 1;
  return position;
}
