import { estimatedPrompt } from './attempt.ts';
import { maxTokensOf } from '../wire/dialect.ts';
import type { Attempt } from './attempt.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Managed } from '../manage/context-manager.ts';

/** A prompt of which the upstream has read a part, without a word about it. */
export interface Cut {
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
  const { step, limits, conversation } = managed;
  const { final: estimate } = step.report.tokens;
  const { tokens: windowTokens } = limits.window;
  const counted = usage?.inputTokens ?? 0;
  // Some fill the window with the prompt and have nothing left to answer with.
  if (isDone && !hasContent && error === undefined && counted >= 0.99 * windowTokens)
    return { isWorthless: true };
  if (counted === 0 || counted >= cutShare * estimate || estimate <= largeShare * windowTokens)
    return undefined;
  const half = 2 * (counted - 2);
  const isHalf = half > 0 && half % windowStep === 0;
  const before = conversation.snapshot.state.usage?.actualTokens ?? 0;
  const hasShrunk = before > counted && managed.action === 'none';
  if (!isHalf && !hasShrunk && counted >= plainlyCutShare * estimate) return undefined;
  const least = Math.ceil(counted / windowStep) * windowStep;
  return { isWorthless: true, window: { windowTokens: isHalf ? half : least } };
}

/** From this share of the window on an answer is stopped, and continued behind a smaller context. */
const nearlyFullShare = 0.9;
const fullShare = 0.99;
const charactersPerToken = 4;

/** Whether an answer that runs is about to reach the end of the window. A window that is only assumed is none. */
export function reachesEnd(facts: AnswerFacts, attempt: Pick<Attempt, 'managed' | 'promptTokens'>): boolean {
  const { managed } = attempt;
  if (typeof managed === 'string' || managed.limits.window.source === 'default') return false;
  const prompt = facts.usage?.inputTokens || estimatedPrompt(managed, attempt);
  const used = prompt + facts.outputCharacters / charactersPerToken;
  return used >= nearlyFullShare * managed.limits.window.tokens;
}

/** Whether an answer has ended because the window is full, and not because it was let be no longer. */
export function wallOf(
  facts: AnswerFacts,
  attempt: Pick<Attempt, 'managed' | 'request' | 'promptTokens'>,
): boolean {
  const { managed, request } = attempt;
  if (facts.finish === 'window-full') return true;
  if (facts.finish !== 'length' || typeof managed === 'string' || !request) return false;
  const { inputTokens = 0, outputTokens = 0 } = facts.usage ?? {};
  const prompt = inputTokens || estimatedPrompt(managed, attempt);
  const output = outputTokens || facts.outputCharacters / charactersPerToken;
  if (outputTokens >= (maxTokensOf(request.dialect, request.body) ?? Infinity)) return false;
  // What was lowered so that it fits ends where the window does.
  if (managed.maxTokens !== undefined) return true;
  return prompt + output >= fullShare * managed.limits.window.tokens;
}
