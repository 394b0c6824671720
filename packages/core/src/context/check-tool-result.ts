import { actualTokens, openAttempt } from './attempt.ts';
import { emptyState } from './state.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

export interface ToolResultCheck {
  /** Measured tokens of the result as it is. */
  readonly tokens: number;
  /** The result as it is would push the request above what is usable. */
  readonly wouldOverflow: boolean;
  /** It is above its share of the window, so that `prepare` will show head and tail of it. */
  readonly wouldBeShortened: boolean;
  readonly maxTokens: number;
}

/** What a tool result would do to the context, before it is added. */
export function checkToolResult(
  transcript: Transcript,
  policy: Policy,
  text: string,
  state: ContextState = emptyState(),
): ToolResultCheck {
  const attempt = openAttempt(transcript, state, policy);
  const tokens = Math.ceil(attempt.gauge.slope * transcript.estimator.count(text));
  const { usableTokens, resultTokens } = attempt.budget;
  return {
    tokens,
    wouldOverflow: actualTokens(attempt) + tokens > usableTokens,
    wouldBeShortened: tokens > resultTokens,
    maxTokens: resultTokens,
  };
}
