import { add, sumOf } from './metric.ts';
import { jsonOf } from './prefix-stability.ts';
import type { Metric, Sums } from './metric.ts';

/** Every so many steps, and every so many compactions, the contender is asked again. */
const everyStep = 50;
const everyCompaction = 4;

/**
 * M12, determinism: the same bytes on a second run (`again`: from fresh objects and a remembered state that went through
 * JSON), compact(compact(x)) = compact(x) (`twice`: asked once more with nothing new). Appending never changes an
 * earlier sent prefix except at a compaction: that is the silent breaks of M5. Faults, and how often it was asked.
 */
export const determinism: Metric = {
  start() {
    const sums: Sums = {};
    let compactions = 0;
    let steps = 0;
    return {
      sums,
      async add({ step, sent, request }, run) {
        steps += 1;
        if (sent?.isCompaction === true) compactions += 1;
        const isDue =
          steps % everyStep === 0 || (sent?.isCompaction === true && compactions % everyCompaction === 1);
        if (!sent || !isDue || !run.again || !run.twice) return;
        const bytes = request.map(({ message }) => jsonOf(message)).join('\n');
        for (const messages of [await run.again(step.historyLength), await run.twice()]) {
          add(sums, 'asked');
          if (messages?.map(jsonOf).join('\n') !== bytes) add(sums, 'faults');
        }
      },
    };
  },
};

export function determinismFigures(sums: Readonly<Sums>) {
  return { determinismFaults: sumOf(sums, 'faults'), determinismChecks: sumOf(sums, 'asked') };
}
