import { isCacheCold, priceRequest } from '../models/prices.ts';
import { openPass } from './pass.ts';
import { questionOf } from '../summary/question.ts';
import { renderView } from './render-view.ts';
import { seenTokens } from '../changes/view.ts';
import { textTokens } from '../summary/summary-job.ts';
import { toActual } from '../budget/token-scale.ts';
import type { Pass } from './pass.ts';
import type { SummarySource, SummaryLimits } from '../summary/collect-summary.ts';
import type { SummaryJob } from '../summary/summary-job.ts';
import type { View } from '../changes/view.ts';

/**
 * Whether the question for a summary should go behind the messages of the session instead of standing alone: the host
 * can do it, it fits beside what was sent last, and it costs less. Behind, the provider reads the whole conversation
 * from its cache; alone, a truncated text of it is paid in full, at the price of the summariser.
 */
export function cachedPrefixPays(
  pass: Pass,
  source: SummarySource,
  limits: SummaryLimits,
  job: SummaryJob,
): boolean {
  const { summariser, pricing } = pass.policy;
  if (summariser?.type !== 'model' || summariser.canUseCachedPrefix !== true || !pricing) return false;
  if (isCacheCold(pricing, pass.idleMs) || messagesSent(pass).length === 0) return false;
  const { tokenScale, budget } = pass;
  const cachedTokens = toActual(tokenScale, seenTokens(asSent(pass).view));
  const questionTokens = tokenScale.slope * limits.estimator.count(questionText(source, limits, job));
  const inputTokens = cachedTokens + questionTokens;
  if (inputTokens > budget.usableTokens) return false;
  const outputTokens = limits.proseTargetTokens;
  const aloneTokens = tokenScale.slope * textTokens(source, limits, job);
  const cachedPrefixUsd = priceRequest(pricing, { inputTokens, cachedTokens, outputTokens });
  const aloneUsd = priceRequest(summariser.pricing ?? pricing, {
    inputTokens: aloneTokens,
    outputTokens: outputTokens * job.chunkEnds.length,
  });
  return cachedPrefixUsd < aloneUsd;
}

function questionText(source: SummarySource, limits: SummaryLimits, job: SummaryJob): string {
  return questionOf(source, limits, job)
    .messages.map(({ content }) => content)
    .join('\n');
}

/**
 * The messages of the request that was sent last, byte for byte: the view as this step found it, up to the response the
 * model gave to it. Empty before the first response.
 */
export function messagesSent(pass: Pass): readonly unknown[] {
  const { view, transcript } = asSent(pass);
  const responseAt = lastResponse(view);
  const ordinal = transcript.conversation.entries.at(responseAt)?.ordinal;
  if (responseAt < 0 || ordinal === undefined) return [];
  const { messages } = renderView(transcript, view);
  const end = messages.findIndex((one) => one.ordinal !== undefined && one.ordinal >= ordinal);
  return messages.slice(0, Math.max(0, end)).map(({ message }) => message);
}

/** The pass before anything was done in it. */
function asSent({ transcript, state, policy, idleMs }: Pass): Pass {
  return openPass(transcript, state, policy, { idleMs });
}

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
