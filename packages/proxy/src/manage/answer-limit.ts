import { maxTokensOf } from '../wire/dialect.ts';
import { isObject } from '@throughline/core/codec';
import type { ClientRequest } from '../wire/client-request.ts';

/** Smaller answers are cut in the middle of a sentence; then the context is made smaller instead. */
export const leastAnswerTokens = 1_024;

/** An answer is not gone on with for less: what would come is over before it has said something. */
export const leastGoingOnTokens = 256;

/**
 * Anthropic takes no smaller budget for thinking ("Input should be greater than or equal to 1024"), and none that is not
 * below `max_tokens` ("`max_tokens` must be greater than `thinking.budget_tokens`").
 */
const leastBudgetTokens = 1_024;

// The estimate may be off by so much of the prompt.
const marginShare = 0.05;

export function withMargin(estimatedTokens: number): number {
  return Math.ceil(estimatedTokens * (1 + marginShare));
}

// An estimate that has just been shown to be too low.
const doubtShare = 0.25;

export function withDoubt(estimatedTokens: number): number {
  return Math.ceil(estimatedTokens * (1 + doubtShare));
}

/** What is left of the limit that the client has set for the whole answer. */
export function limitLeft({ dialect, body }: RequestLimits, spentTokens: number): number {
  return (maxTokensOf(dialect, body) ?? Infinity) - spentTokens;
}

/** Whether the client's limit leaves something for an answer to be gone on with. */
export function mayGoOn(request: RequestLimits, spentTokens: number): boolean {
  return limitLeft(request, spentTokens) >= leastLimitOf(request, leastGoingOnTokens);
}

type RequestLimits = Pick<ClientRequest, 'dialect' | 'body'>;

/**
 * Servers refuse a request whose prompt and answer do not fit together. Lowering the answer costs nothing that was said,
 * so it comes before any compaction. `undefined` where it fits as it is.
 */
export function loweredMaxTokens(
  request: RequestLimits,
  promptTokens: number,
  windowTokens: number,
): { readonly key: string; readonly tokens: number } | undefined {
  const { dialect, body } = request;
  const asked = maxTokensOf(dialect, body);
  const key = dialect.maxTokensKeys.find((name) => body[name] === asked);
  if (asked === undefined || key === undefined) return undefined;
  const tokens = Math.max(leastLimitOf(request), windowTokens - promptTokens);
  return tokens < asked ? { key, tokens } : undefined;
}

/** The smallest limit with which an answer can say so much: what is thought before it counts in it. */
export function leastLimitOf({ dialect, body }: RequestLimits, sayingTokens = leastAnswerTokens): number {
  const budget = budgetIn(body, maxTokensOf(dialect, body));
  return sayingTokens + Math.min(budget?.tokens ?? 0, leastBudgetTokens);
}

/**
 * The members of a request whose answer is to have this limit. A budget for thinking is lowered with it where it would
 * leave no room for words; elsewhere it stays, because another budget costs the prompt cache.
 */
export function limitMembers(
  { dialect, body }: RequestLimits,
  tokens: number,
): Readonly<Record<string, unknown>> {
  const asked = maxTokensOf(dialect, body);
  const key = dialect.maxTokensKeys.find((name) => body[name] === asked);
  if (asked === undefined || key === undefined || tokens >= asked) return {};
  const budget = budgetIn(body, asked);
  const thinkingTokens = Math.max(tokens - leastAnswerTokens, leastBudgetTokens);
  return {
    [key]: tokens,
    ...(budget &&
      thinkingTokens < budget.tokens && { thinking: { ...budget.thinking, budget_tokens: thinkingTokens } }),
  };
}

/** One above the limit is not tied to it: between calls of tools it may be so (Anthropic's interleaved thinking). */
function budgetIn(
  { thinking }: ClientRequest['body'],
  askedTokens = 0,
): { readonly thinking: object; readonly tokens: number } | undefined {
  const tokens = isObject(thinking) ? thinking['budget_tokens'] : undefined;
  return isObject(thinking) && typeof tokens === 'number' && tokens < askedTokens
    ? { thinking, tokens }
    : undefined;
}
