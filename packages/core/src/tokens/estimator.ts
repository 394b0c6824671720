import { withFunctions } from '../errors/check-options.ts';
import type { OptionCheck } from '../errors/check-options.ts';
import { buildClassCodes } from './character-classes.ts';
import { pairWeights, tripleWeights } from './script-aware-weights.ts';

/** Estimates how many tokens a text costs. Pure; must accept any string, in time linear in its length. */
export interface Estimator {
  readonly name: string;
  /** Tokens of `text`, ≥ 0; need not be an integer. The empty text costs 0. */
  count(text: string): number;
}

export const anEstimator: OptionCheck = withFunctions('an estimator', 'count');

/** Characters ÷ 4, rounded up: the rule of thumb of the field. Right for English prose, far too low for the rest. */
export const charactersEstimator: Estimator = {
  name: 'characters',
  count: (text) => Math.ceil(text.length / 4),
};

const { codeOfUnit, codeOfClass } = buildClassCodes();

/** Weights are whole steps, this many to a token: sums of them are exact, in whatever order they are made. */
export const stepsPerToken = 1_024;

// A place in the table of weights: the group of the character before the last (3 bits), the code of the last one
// (6 bits), the code of this one (6 bits). Codes stand here with their group in the lower bits, so that a shift makes
// the first two of a place out of the one before.
const lastCodes = 0x7fc0;
const codes = codeOfUnit.map(withGroupBehind);
const weights = readWeights();

/** Texts begin as if behind two line breaks. */
const newlineCode = codes[10] ?? 0;
const startPlace = (newlineCode << 6) | newlineCode;

/**
 * The default estimator: each character adds what its class costs behind the class of its predecessor, and what its
 * group costs behind the groups of the two before. The weights are fitted to o200k (see `script-aware-weights.ts`).
 *
 * Never negative, never falls when text is appended, at most twice the time of reading the characters. Counts
 * UTF-16 units, so lone surrogates cost something too. Not rounded.
 */
export const scriptAwareEstimator: Estimator = { name: 'script-aware', count };

function count(text: string): number {
  const { length } = text;
  const even = length & ~1;
  let steps = 0;
  let place = startPlace;
  // Two at a time. Typed arrays of exactly the size: no index can be outside, the zeros only satisfy the compiler.
  for (let index = 0; index < even; index += 2) {
    const middle = ((place << 6) & lastCodes) | (codes[text.charCodeAt(index)] ?? 0);
    place = ((middle << 6) & lastCodes) | (codes[text.charCodeAt(index + 1)] ?? 0);
    steps += (weights[middle] ?? 0) + (weights[place] ?? 0);
  }
  if (even < length) {
    place = ((place << 6) & lastCodes) | (codes[text.charCodeAt(even)] ?? 0);
    steps += weights[place] ?? 0;
  }
  return steps / stepsPerToken;
}

/** `group × 8 + number` the other way round: `number × 8 + group`. */
function withGroupBehind(code: number): number {
  return ((code & 7) << 3) | (code >> 3);
}

/**
 * What a character costs at each place, in steps. `pairWeights` has a row per class in front and a column per class
 * behind, `tripleWeights` a row per pair of groups in front and a column per group behind.
 */
function readWeights(): Uint16Array {
  const sums = new Uint16Array(8 * 64 * 64);
  const triples = rowsOf(tripleWeights).flat();
  for (const [row, line] of rowsOf(pairWeights).entries()) {
    const last = codeOfClass[row] ?? 0;
    for (const [column, steps] of line.entries()) {
      const code = codeOfClass[column] ?? 0;
      for (let group = 0; group < 8; group++) {
        const place = (group << 12) | (withGroupBehind(last) << 6) | withGroupBehind(code);
        sums[place] = steps + (triples[(group * 8 + (last >> 3)) * 8 + (code >> 3)] ?? 0);
      }
    }
  }
  return sums;
}

/** The numbers of each line in steps, without the name the line begins with. The first line names the columns. */
function rowsOf(table: string): number[][] {
  const lines = table.trim().split('\n').slice(1);
  return lines.map((line) => line.trim().split(/\s+/).slice(1).map(Number).map(inSteps));
}

function inSteps(thousandths: number): number {
  return Math.round((thousandths * stepsPerToken) / 1_000);
}
