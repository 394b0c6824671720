import { add, addMax, ratioOf, sumOf } from './metric.ts';
import type { Metric, Sums } from './metric.ts';

/** Time a contender takes for a step: mean and largest, in milliseconds. Peers in their own format, conversion apart. */
export const stepTime: Metric = {
  start() {
    const sums: Sums = {};
    return {
      sums,
      add({ elapsedMs }) {
        add(sums, 'steps');
        add(sums, 'ms', elapsedMs);
        addMax(sums, 'msMax', elapsedMs);
      },
    };
  },
};

export function stepTimeFigures(sums: Readonly<Sums>) {
  return { stepMs: ratioOf(sums, 'ms', 'steps'), slowestStepMs: sumOf(sums, 'msMax') };
}
