/** One request: what it should come to, and what the server counted. */
export interface Measured {
  readonly estimateTokens: number;
  readonly promptTokens: number;
}

/** A calibrated estimate is not off by more. */
const leastShare = 0.6;
/** Servers cut where the window ends, so not in a request that is small beside it. */
const leastWindowShare = 0.5;
/** Without a known window: half of the smallest one in use. */
const leastTokens = 2_000;
/** A request has grown when its estimate did by this share, and by so many tokens. */
const grownShare = 0.05;
const grownTokens = 256;
/** Of which the server has to see at least this. */
const seenShare = 0.1;

/**
 * The server has not read the whole prompt: it counted far less than the calibrated estimate, or no more (or even less)
 * than before although the request has grown.
 */
export function looksCut(now: Measured, windowTokens?: number, before?: Measured): boolean {
  const { promptTokens, estimateTokens } = now;
  if (!(promptTokens > 0) || !(estimateTokens > 0)) return false;
  const floor = windowTokens === undefined ? leastTokens : leastWindowShare * windowTokens;
  if (estimateTokens > floor && promptTokens < leastShare * estimateTokens) return true;
  if (!before || !(before.promptTokens > 0)) return false;
  const grown = estimateTokens - before.estimateTokens;
  const hasGrown = grown >= Math.max(grownTokens, grownShare * before.estimateTokens);
  return hasGrown && promptTokens < estimateTokens && promptTokens - before.promptTokens < seenShare * grown;
}
