import { buildClassCodes } from './character-classes.ts';
import type { Estimator } from './estimator.ts';
import { pairWeights, tripleWeights } from './script-aware-weights.ts';

const { codeOfUnit, codeOfClass } = buildClassCodes();
const weightOfPair = readPairWeights();
const weightOfTriple = readTripleWeights();

/** Texts begin as if behind a line break. */
const newlineCode = codeOfUnit[10] ?? 0;
const newlineGroups = (newlineCode >> 3) * 9;

/**
 * The default estimator: each character adds what its class costs behind the class of its predecessor, and what its
 * group costs behind the groups of the two before. The weights are fitted to o200k (see `script-aware-weights.ts`).
 *
 * Never negative, never falls when text is appended, at most twice the time of reading the characters. Counts
 * UTF-16 units, so lone surrogates cost something too. Not rounded.
 */
export const scriptAwareEstimator: Estimator = { name: 'script-aware', count };

function count(text: string): number {
  let tokens = 0;
  let previous = newlineCode;
  let groups = newlineGroups;
  for (let index = 0; index < text.length; index++) {
    // Typed arrays of exactly this size: neither index can be outside, the zeros only satisfy the compiler.
    const code = codeOfUnit[text.charCodeAt(index)] ?? 0;
    groups = ((groups << 3) | (code >> 3)) & 511;
    tokens += (weightOfPair[(previous << 6) | code] ?? 0) + (weightOfTriple[groups] ?? 0);
    previous = code;
  }
  return tokens;
}

/** `pairWeights` has a row per class in front and a column per class behind, in thousandths of a token. */
function readPairWeights(): Float64Array {
  const weights = new Float64Array(64 * 64);
  for (const [row, line] of rowsOf(pairWeights)) {
    for (const [column, thousandths] of line.entries()) {
      weights[((codeOfClass[row] ?? 0) << 6) | (codeOfClass[column] ?? 0)] = inSteps(thousandths);
    }
  }
  return weights;
}

/** `tripleWeights` has a row per pair of groups in front and a column per group behind. */
function readTripleWeights(): Float64Array {
  const weights = new Float64Array(8 * 8 * 8);
  for (const [row, line] of rowsOf(tripleWeights)) {
    for (const [column, thousandths] of line.entries()) weights[row * 8 + column] = inSteps(thousandths);
  }
  return weights;
}

/**
 * In steps of 1/1024: sums of these are exact, so that a view measures the same however it came about, step by step or
 * at once.
 */
function inSteps(thousandths: number): number {
  return Math.round(thousandths * 1.024) / 1_024;
}

/** The numbers of each line, without the name the line begins with. The first line names the columns. */
function rowsOf(table: string): (readonly [number, readonly number[]])[] {
  const lines = table.trim().split('\n').slice(1);
  return lines.map((line, row) => [row, line.trim().split(/\s+/).slice(1).map(Number)] as const);
}
