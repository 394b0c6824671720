import { soundCalibration } from '../tokens/calibration.ts';
import type { ContextState } from './state.ts';
import type { TokenScale } from '../budget/token-scale.ts';
import type { Transcript } from './transcript.ts';

/**
 * How the estimate of the messages translates into the provider's count of the request. After a step with usage: the
 * provider's own number plus the estimate of what is new, so that the error of the rest is gone, whether it counted more
 * than was estimated or less.
 */
export function tokenScaleOf(
  { systemTokens, toolsTokens }: Transcript,
  { calibration, usage }: ContextState,
): TokenScale {
  const { a: slope, b: base } = soundCalibration(calibration);
  if (!usage) return { offsetTokens: base + slope * (systemTokens + toolsTokens), slope };
  const { actualTokens, estimateTokens } = usage;
  const offsetTokens = actualTokens - slope * estimateTokens;
  return offsetTokens < 0
    ? { offsetTokens, slope, leastSlope: actualTokens / estimateTokens }
    : { offsetTokens, slope };
}
