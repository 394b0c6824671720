import { actualTokens } from './attempt.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import { measuresOf } from '../budget/measures.ts';
import { viewEntries } from './view-entries.ts';
import type { Attempt } from './attempt.ts';
import type { Estimator } from '../tokens/estimator.ts';

// Farther away from the trigger no estimate is wrong enough to matter.
const nearShare = 0.15;

/**
 * The attempt measured by an exact tokenizer, where the estimate is within 15 % of the trigger and the provider has
 * not counted this session yet. Elsewhere the attempt as it is: exact counting is some twenty times dearer.
 */
export function measuredExactly(attempt: Attempt, exact: Estimator | undefined): Attempt {
  const { transcript, view, gauge, budget, state } = attempt;
  const distance = Math.abs(actualTokens(attempt) - budget.triggerTokens);
  if (!exact || state.usage !== null || distance > budget.triggerTokens * nearShare) return attempt;
  const meter = { estimator: exact, media: transcript.media };
  const tokens = viewEntries(transcript.codec, view).reduce(
    (sum, { entry }) => sum + measureEntry(entry, meter).tokens,
    0,
  );
  const slope = view.tokens > 0 ? tokens / view.tokens : 1;
  const exactGauge = { offsetTokens: gauge.offsetTokens, slope: Math.max(0.1, slope) };
  return { ...attempt, gauge: exactGauge, measures: measuresOf(budget, exactGauge) };
}
