import { countOf } from '../terminal/numbers.ts';
import type { LadderStepReport } from '@throughline/core';

const ladderSteps: Readonly<Record<LadderStepReport['ladderStep'], (report: LadderStepReport) => string>> = {
  truncate: ({ changes }) => `${countOf(changes, 'oversized result')} truncated`,
  review: ({ detail }) => `old messages judged by the model: ${detail}`,
  prune: ({ changes }) => `${countOf(changes, 'old result or argument', 'old results and arguments')} pruned`,
  compact: ({ detail }) => `old messages compacted into a summary${writers[detail] ?? ''}`,
  fit: ({ detail }) => `made to fit: ${detail}`,
};

const writers: Readonly<Record<string, string>> = {
  model: ', written by the model',
  code: ', written by code',
  none: ', without prose',
};

/** What one ladder step did, as half a sentence. */
export function describeLadderStep(report: LadderStepReport): string {
  return ladderSteps[report.ladderStep](report);
}
