import { maxTokensOf } from '../wire/dialect.ts';
import type { ClientRequest } from '../wire/client-request.ts';

/** Smaller answers are cut in the middle of a sentence; then the context is made smaller instead. */
export const leastAnswerTokens = 1_024;

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

/**
 * Servers refuse a request whose prompt and answer do not fit together. Lowering the answer costs nothing that was said,
 * so it comes before any compaction. `undefined` where it fits as it is.
 */
export function loweredMaxTokens(
  { dialect, body }: ClientRequest,
  promptTokens: number,
  windowTokens: number,
): { readonly key: string; readonly tokens: number } | undefined {
  const asked = maxTokensOf(dialect, body);
  const key = dialect.maxTokensKeys.find((name) => body[name] === asked);
  if (asked === undefined || key === undefined) return undefined;
  const tokens = Math.max(leastAnswerTokens, windowTokens - promptTokens);
  return tokens < asked ? { key, tokens } : undefined;
}
