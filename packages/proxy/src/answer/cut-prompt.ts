import { estimatedPrompt } from './attempt.ts';
import { estimatedOutput } from '../stream/shared/facts.ts';
import { mediaTokens } from '@throughline/core/internal';
import { leastGoingOnTokens, limitLeft, withMargin } from '../manage/answer-limit.ts';
import type { Attempt } from './attempt.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Conversation } from '../identity/conversation-index.ts';
import type { Managed } from '../manage/managed.ts';

/** A prompt of which the upstream has read a part, without a word about it. */
interface Cut {
  /** The answer is about something else than what was asked, or is none. */
  readonly isWorthless: boolean;
  /** What it can hold, as far as its numbers show. */
  readonly window?: { readonly windowTokens: number };
}

/** A count below this share of the estimate is no error of the estimate any more, if something else speaks for it. */
const cutShare = 0.6;
/** A count below this share speaks for itself. */
const plainlyCutShare = 0.5;
const largeShare = 0.5;
/** Windows are multiples of this. */
const windowStep = 512;

/**
 * Whether a prompt was cut, by what the upstream counted. Ollama drops the oldest messages, and what is still too long it
 * cuts to half of its window and two tokens; the answer looks like any other.
 */
export function cutOf({ usage, hasContent, isDone, error }: AnswerFacts, managed: Managed): Cut | undefined {
  const { step, limits, conversation, snapshot } = managed;
  const { final: estimate } = step.report.tokens;
  const { tokens: windowTokens } = limits.window;
  const counted = usage?.inputTokens ?? 0;
  // Some fill the window with the prompt and have nothing left to answer with.
  if (isDone && !hasContent && error === undefined && counted >= 0.99 * windowTokens)
    return { isWorthless: true };
  if (counted === 0 || counted >= cutShare * estimate || estimate <= largeShare * windowTokens)
    return undefined;
  if (hasGrown(counted, estimate, conversation.usage)) return undefined;
  // Nobody knows what another model makes of an image: what is cut is so by its text alone.
  const textTokens = estimate - mediaTokens(step.view, snapshot.transcript);
  if (counted >= cutShare * textTokens) return undefined;
  const half = 2 * (counted - 2);
  const isHalf = half > 0 && half % windowStep === 0;
  const before = conversation.snapshot.state.usage?.actualTokens ?? 0;
  const hasShrunk = before > counted && managed.action === 'none';
  if (!isHalf && !hasShrunk && counted >= plainlyCutShare * textTokens) return undefined;
  const least = Math.ceil(counted / windowStep) * windowStep;
  return { isWorthless: true, window: { windowTokens: isHalf ? half : least } };
}

/** What is cut stays as it is, or gets less; half of the rate before may be another kind of text. */
const grownShare = 0.5;

/** Whether the count has grown with the history since the last answer of the conversation, at the rate of before. */
function hasGrown(counted: number, estimate: number, before: Conversation['usage']): boolean {
  const { inputTokens = 0, estimatedTokens = 0 } = before ?? {};
  if (inputTokens === 0 || estimatedTokens === 0 || estimate <= estimatedTokens) return false;
  const rate = inputTokens / estimatedTokens;
  return counted - inputTokens >= grownShare * rate * (estimate - estimatedTokens);
}

/** From this share of the window on an answer is stopped, and continued behind a smaller context. */
const nearlyFullShare = 0.9;
const fullShare = 0.99;

type Limited = Pick<Attempt, 'managed' | 'request' | 'promptTokens' | 'spentTokens'>;

/**
 * Whether an answer that runs is about to reach the end of the window. One whose prompt and limit fit ends before that by
 * itself. A window that is only assumed is none.
 *
 * @param outputTokens what it has said so far, as it is measured where that counts against its limit
 */
export function reachesEnd(facts: AnswerFacts, attempt: Limited, outputTokens: () => number): boolean {
  const { managed } = attempt;
  if (typeof managed === 'string' || managed.limits.window.source === 'default') return false;
  const { tokens: windowTokens } = managed.limits.window;
  const promptTokens = facts.usage?.inputTokens || withMargin(estimatedPrompt(managed, attempt));
  if (promptTokens + limitSent(managed, attempt) <= windowTokens) return false;
  const saidTokens = outputTokens();
  // Where the prompt alone takes so much of it, as by the estimate, a call that was stopped at once would bring nothing.
  return saidTokens >= leastGoingOnTokens && promptTokens + saidTokens >= nearlyFullShare * windowTokens;
}

/** What the request let its answer be at most. */
function limitSent({ maxTokens = Infinity }: Managed, { request, spentTokens }: Limited): number {
  return request ? Math.min(maxTokens, limitLeft(request, spentTokens)) : maxTokens;
}

/** Whether an answer has ended because the window is full, and not because it was let be no longer. */
export function wallOf(facts: AnswerFacts, attempt: Limited): boolean {
  const { managed, request, spentTokens } = attempt;
  if (facts.finish === 'window-full') return true;
  if (facts.finish !== 'length' || typeof managed === 'string' || !request) return false;
  const { inputTokens = 0, outputTokens = 0 } = facts.usage ?? {};
  if (outputTokens >= limitLeft(request, spentTokens)) return false;
  // What was lowered so that it fits ends where the window does.
  if (managed.maxTokens !== undefined) return true;
  const prompt = inputTokens || estimatedPrompt(managed, attempt);
  const output = outputTokens || estimatedOutput(facts);
  return prompt + output >= fullShare * managed.limits.window.tokens;
}
