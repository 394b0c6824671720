import { checkTranscript } from './check-input.ts';
import { replay } from '../changes/replay.ts';
import type { Transcript } from './transcript.ts';

/** Estimated tokens of a request, in the estimator's own count. */
export interface TokenEstimate {
  readonly total: number;
  /** System text and tool schemas that travel outside the messages. */
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
}

/**
 * What the whole history would cost if it were sent as it is, with the error results that calls without a result get.
 * By the estimator alone; `checkOverflow` gives the measured size of the next request, corrected by what the provider
 * has counted. A walk over the history.
 *
 * @throws {ContextError} `not-loaded` where not all of it was loaded.
 */
export function estimateTokens(transcript: Transcript): TokenEstimate {
  checkTranscript(transcript);
  const { conversation, systemTokens, toolsTokens } = transcript;
  const messages = replay(conversation, []).view.tokens;
  return { total: systemTokens + toolsTokens + messages, system: systemTokens, tools: toolsTokens, messages };
}
