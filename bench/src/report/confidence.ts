import { createDice } from '../synthetic/dice.ts';

/** The middle 95 % of what resampling gives. */
export type Interval = readonly [low: number, high: number];

const draws = 1_000;
const seed = 20_261;

/**
 * 95 % interval of a figure by resampling its units with replacement, 1 000 times, with a fixed seed: the same units
 * are drawn for every contender with as many of them. `undefined` where there are fewer than 3 units.
 */
export function resampled<Unit>(
  units: readonly Unit[],
  figure: (drawn: readonly Unit[]) => number,
): Interval | undefined {
  if (units.length < 3) return undefined;
  const dice = createDice(seed);
  const values: number[] = [];
  for (let draw = 0; draw < draws; draw += 1) {
    const value = figure(units.map(() => units[Math.floor(dice() * units.length)] as Unit));
    if (Number.isFinite(value)) values.push(value);
  }
  if (values.length === 0) return undefined;
  values.sort((left, right) => left - right);
  const at = (share: number): number => values[Math.round((values.length - 1) * share)] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}
