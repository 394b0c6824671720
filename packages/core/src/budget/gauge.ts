/**
 * Translates the estimator's tokens into the provider's: actual = offset + slope · estimate. The offset holds what
 * is sent beside the messages, system text and tool schemas above all.
 */
export interface Gauge {
  readonly offsetTokens: number;
  readonly slope: number;
}

export function toActual(gauge: Gauge, estimateTokens: number): number {
  return gauge.offsetTokens + gauge.slope * estimateTokens;
}

/** Estimated tokens of messages that may be sent so that the request measures `actualTokens`. May be negative. */
export function toEstimate(gauge: Gauge, actualTokens: number): number {
  return (actualTokens - gauge.offsetTokens) / gauge.slope;
}
