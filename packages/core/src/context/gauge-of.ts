import { toActual } from '../tokens/calibration.ts';
import type { ContextState } from './state.ts';
import type { Gauge } from '../budget/gauge.ts';
import type { Transcript } from './transcript.ts';

/**
 * How the estimate of the messages translates into the provider's count of the request. After a step with usage: the
 * provider's own number plus the estimate of what is new, so that the error of the rest is gone.
 */
export function gaugeOf(
  { systemTokens, toolsTokens }: Transcript,
  { calibration, usage }: ContextState,
): Gauge {
  const fixedTokens = systemTokens + toolsTokens;
  const base = toActual(calibration, 0);
  const slope = Math.max(0.1, (toActual(calibration, 1_000_000) - base) / 1_000_000);
  const offsetTokens = usage ? usage.actualTokens - slope * usage.estimateTokens : base + slope * fixedTokens;
  return { offsetTokens: Math.max(0, offsetTokens), slope };
}
