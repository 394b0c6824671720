import { countOf } from '../terminal/numbers.ts';
import type { RungReport } from '@throughline/core';

const rungs: Readonly<Record<RungReport['rung'], (report: RungReport) => string>> = {
  truncate: ({ changes }) => `${countOf(changes, 'oversized result')} shortened`,
  review: ({ detail }) => `old messages judged by the model: ${detail}`,
  clear: ({ changes }) =>
    `${countOf(changes, 'old result or argument', 'old results and arguments')} cleared`,
  fold: ({ detail }) => `old messages folded into a summary${writers[detail] ?? ''}`,
  fit: ({ detail }) => `made to fit: ${detail}`,
};

const writers: Readonly<Record<string, string>> = {
  model: ', written by the model',
  digest: ', written by the digest',
  none: ', without prose',
};

/** What one rung did, as half a sentence. */
export function describeRung(report: RungReport): string {
  return rungs[report.rung](report);
}
