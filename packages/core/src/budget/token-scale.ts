/**
 * Translates the estimator's tokens into the provider's: actual = offset + slope · estimate. The offset holds what
 * is sent beside the messages, system text and tool schemas above all.
 */
export interface TokenScale {
  readonly offsetTokens: number;
  readonly slope: number;
  /**
   * No estimate stands for less than this share of it. Needed where the provider counted less than the slope says: the
   * offset is negative then, and what is left after a compaction must not come out as nothing. @default 0
   */
  readonly leastSlope?: number;
}

export function toActual(
  { offsetTokens, slope, leastSlope = 0 }: TokenScale,
  estimateTokens: number,
): number {
  return Math.max(offsetTokens + slope * estimateTokens, leastSlope * estimateTokens);
}

/** Estimated tokens of messages that may be sent so that the request measures `actualTokens`. May be negative. */
export function toEstimate(
  { offsetTokens, slope, leastSlope = 0 }: TokenScale,
  actualTokens: number,
): number {
  const estimate = (actualTokens - offsetTokens) / slope;
  return leastSlope > 0 ? Math.min(estimate, actualTokens / leastSlope) : estimate;
}
