import { actualTokens, openPass } from './pass.ts';
import { emptyState } from './state.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

export interface OverflowCheck {
  /** The request would exceed what is usable. */
  readonly isOverflow: boolean;
  /** Measured tokens of the request: system, tools and messages. */
  readonly currentTokens: number;
  /** Tokens that are still free; 0 when it overflows. */
  readonly availableTokens: number;
  readonly modelLimit: number;
  readonly outputReserve: number;
}

/** Whether the history, as it would be sent now, fits. Changes nothing. */
export function checkOverflow(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): OverflowCheck {
  const pass = openPass(transcript, state, policy);
  const currentTokens = Math.ceil(actualTokens(pass));
  const { usableTokens, windowTokens, outputReserveTokens } = pass.budget;
  return {
    isOverflow: currentTokens > usableTokens,
    currentTokens,
    availableTokens: Math.max(0, usableTokens - currentTokens),
    modelLimit: windowTokens,
    outputReserve: outputReserveTokens,
  };
}
