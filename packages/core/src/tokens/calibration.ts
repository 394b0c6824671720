/** One call: what the estimator said of the request, and what the provider counted. */
interface CalibrationPair {
  readonly estimateTokens: number;
  readonly actualTokens: number;
}

/**
 * How an estimate becomes the provider's number: `actual ≈ b + a · estimate`. `b` is what the estimator never sees
 * (system text and tools of an adapter), `a` the difference of tokenizers. Kept per model and endpoint. Plain JSON.
 */
export interface Calibration {
  readonly a: number;
  readonly b: number;
  /** What `a` is expected to be before anything is known of the endpoint. @default 1.1 */
  readonly expectedSlope?: number;
  /** All that is sent is estimated, system text and tools too: `b` is little, and one call tells the slope. @default false */
  readonly isWhole?: boolean;
  /** What the line was fitted to, newest last: at most one pair per size class, at most 32. */
  readonly pairs?: readonly CalibrationPair[];
}

interface Observation extends CalibrationPair {
  readonly windowTokens: number;
  /** The server cut the prompt: its number says nothing. */
  readonly wasCut?: boolean;
}

/** Before the first call: estimates are taken as they are. */
export const uncalibrated: Calibration = { a: 1, b: 0 };

/** The same, for a host that estimates all it sends. */
export const wholeRequests: Calibration = { a: 1, b: 0, isWhole: true };

/**
 * Before the first call to a model whose tokenizer is known by kind: `expectedSlope` is its tokens per token of the
 * estimate (see `tokenizerSlope`), and from then on what few calls are weighed against.
 */
export function startCalibration(expectedSlope: number): Calibration {
  const a = within(expectedSlope);
  return { a, b: 0, expectedSlope: a };
}

/**
 * What can be believed of a calibration that may come from a file: all of it, as the same object, or the line before
 * the first call where it is none. Pairs that are no counts are left out. Never throws.
 */
export function soundCalibration(value: unknown): Calibration {
  if (typeof value !== 'object' || value === null) return uncalibrated;
  const { a, b, expectedSlope, isWhole, pairs } = value as { readonly [Key in keyof Calibration]?: unknown };
  const expected = isSlope(expectedSlope) ? expectedSlope : undefined;
  const isLine = isSlope(a) && typeof b === 'number' && b >= 0 && b < mostTokens;
  const kept = Array.isArray(pairs) ? pairs.filter(isPair) : undefined;
  const hasAllPairs = pairs === undefined || (Array.isArray(pairs) && kept?.length === pairs.length);
  if (isLine && expected === expectedSlope && hasAllPairs) return value as Calibration;
  return {
    ...(isLine ? { a, b } : startOf(expected)),
    ...(expected !== undefined && { expectedSlope: expected }),
    ...(isWhole === true && { isWhole }),
    ...(isLine && kept && { pairs: kept }),
  };
}

function startOf(expected: number | undefined): Calibration {
  return expected === undefined ? uncalibrated : startCalibration(expected);
}

/** Whether a tokenizer can make so many tokens of one of the estimate. */
export function isSlope(value: unknown): value is number {
  return typeof value === 'number' && value >= leastSlope && value <= mostSlope;
}

function isPair(value: unknown): value is CalibrationPair {
  if (typeof value !== 'object' || value === null) return false;
  const { estimateTokens, actualTokens } = value as Partial<CalibrationPair>;
  return isCount(estimateTokens) && isCount(actualTokens);
}

/** A number of tokens that a request can have. */
function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < mostTokens;
}

/** Tokenizers in use differ from o200k by less than this, on any text; one of bytes, which writes a space as three, by most. */
const leastSlope = 0.4;
const mostSlope = 8;
/** What an unknown tokenizer is expected to be, and how far off any expectation usually is. */
const defaultSlope = 1.1;
const slopeDeviation = 0.2;
/** How far an estimate misses its line: a share of it, and what hosts slip in between two calls (reminders, dates). */
const noiseShare = 0.03;
const noiseTokens = 300;
const oddShare = 0.15;
/** A request without anything. */
const nothing: CalibrationPair = { estimateTokens: 0, actualTokens: 0 };
/** More than this beside the messages (system text and tools) is not believed of one pair alone. */
const mostUnseenTokens = 60_000;
const mostUnseenShare = 0.5;
/** Two pairs are of one size class when their estimates lie within this share; the newer one stays. */
const sizeClassShare = 0.02;
const mostPairs = 32;
/** No request is larger: what says so is a fault. */
const mostTokens = 1e9;
/** Each further call halves what a pair says in this many. */
const halfLifeCalls = 12;

/**
 * The calibration with one more call taken in. Absurd usage (zero, not a number, above twice the window, of a prompt
 * that was cut) changes nothing. `a` stays within 0.4 and 8, `b` at or above 0. Never throws.
 */
export function observe(given: Calibration, observation: Observation): Calibration {
  const calibration = soundCalibration(given);
  if (!isBelievable(observation)) return calibration;
  const { estimateTokens, actualTokens } = observation;
  const isOfSameSize = (pair: CalibrationPair): boolean =>
    Math.abs(pair.estimateTokens - estimateTokens) <= sizeClassShare * estimateTokens;
  const others = (calibration.pairs ?? []).filter((pair) => !isOfSameSize(pair));
  const pairs = [...others, { estimateTokens, actualTokens }].slice(-mostPairs);
  const first = pairs[0];
  const expected = calibration.expectedSlope;
  const slope = expected ?? defaultSlope;
  const { isWhole = false } = calibration;
  const line =
    pairs.length === 1 && first && !isWhole
      ? lineThrough(first, slope, observation.windowTokens)
      : robustLine(pairs, { slope, isWhole });
  return {
    ...line,
    ...(expected !== undefined && { expectedSlope: expected }),
    ...(isWhole && { isWhole }),
    pairs,
  };
}

/** The provider's count that an estimate stands for; never negative. */
export function calibratedTokens(calibration: Calibration, estimateTokens: number): number {
  const { a, b } = soundCalibration(calibration);
  return Math.max(0, b + a * estimateTokens);
}

function isBelievable(observation: Observation): boolean {
  const { actualTokens, windowTokens, wasCut } = observation;
  return wasCut !== true && isPair(observation) && !(actualTokens > 2 * windowTokens);
}

interface Line {
  readonly a: number;
  readonly b: number;
}

/** One pair: the usual difference of tokenizers, and the rest is what was not seen; else a ratio. */
function lineThrough(
  { estimateTokens, actualTokens }: CalibrationPair,
  expectedSlope: number,
  windowTokens: number,
): Line {
  const unseen = actualTokens - expectedSlope * estimateTokens;
  const mostUnseen = Math.min(mostUnseenTokens, mostUnseenShare * windowTokens);
  if (unseen >= 0 && unseen <= mostUnseen) return { a: expectedSlope, b: unseen };
  return { a: within(actualTokens / estimateTokens), b: 0 };
}

interface Prior {
  readonly slope: number;
  readonly isWhole: boolean;
}

/** A weighted line, fitted again with less weight on what lies far off it: one odd call does not bend it. */
function robustLine(given: readonly CalibrationPair[], { slope, isWhole }: Prior): Line {
  // Where all is estimated, nothing costs next to nothing.
  const pairs = isWhole ? [nothing, ...given] : given;
  const largest = pairs.reduce(
    (most, pair) => (pair.estimateTokens > most.estimateTokens ? pair : most),
    nothing,
  );
  // A small session is not told apart from what hosts slip into a large one.
  const oddTokens = Math.min(noiseTokens, oddShare * largest.estimateTokens);
  const noiseOf = (pair: CalibrationPair): number =>
    pair === nothing ? noiseTokens : noiseShare * pair.estimateTokens + oddTokens;
  const weights = pairs.map((pair, index) => {
    const age = pair === nothing ? 0 : index + 1 - pairs.length;
    return 2 ** (age / halfLifeCalls) / noiseOf(pair) ** 2;
  });
  const ratio = largest.actualTokens / Math.max(1, largest.estimateTokens);
  const deviation = isWhole ? Math.max(slopeDeviation, Math.abs(ratio - slope) / 2) : slopeDeviation;
  const expectedSlope = { slope, deviation };
  let line = fitLine(pairs, weights, expectedSlope);
  for (let round = 0; round < 3 && pairs.length > 2; round++) {
    const misses = pairs.map((pair) => {
      const miss = Math.abs(line.b + line.a * pair.estimateTokens - pair.actualTokens);
      return miss / noiseOf(pair);
    });
    line = fitLine(
      pairs,
      weights.map((weight, index) => weight / Math.max(1, misses[index] ?? 1)),
      expectedSlope,
    );
  }
  return line;
}

/** Least squares with a prior on the slope, so that calls of nearly one size say little about it. */
function fitLine(
  pairs: readonly CalibrationPair[],
  weights: readonly number[],
  { slope, deviation }: { readonly slope: number; readonly deviation: number },
): Line {
  let total = 0;
  let estimates = 0;
  let actuals = 0;
  for (const [index, { estimateTokens, actualTokens }] of pairs.entries()) {
    const weight = weights[index] ?? 0;
    total += weight;
    estimates += weight * estimateTokens;
    actuals += weight * actualTokens;
  }
  const meanEstimate = estimates / total;
  const meanActual = actuals / total;
  let spread = 1 / deviation ** 2;
  let rise = slope * spread;
  let squares = spread;
  let products = rise;
  for (const [index, { estimateTokens, actualTokens }] of pairs.entries()) {
    const weight = weights[index] ?? 0;
    spread += weight * (estimateTokens - meanEstimate) ** 2;
    rise += weight * (estimateTokens - meanEstimate) * (actualTokens - meanActual);
    squares += weight * estimateTokens ** 2;
    products += weight * estimateTokens * actualTokens;
  }
  const a = within(rise / spread);
  const b = meanActual - a * meanEstimate;
  return b >= 0 ? { a, b } : { a: within(products / squares), b: 0 };
}

function within(slope: number): number {
  return Math.min(mostSlope, Math.max(leastSlope, slope));
}
