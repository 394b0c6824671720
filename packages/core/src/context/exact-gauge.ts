import { actualTokens } from './attempt.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import { measuresOf } from '../budget/measures.ts';
import { isHidden } from '../changes/view.ts';
import { positionOf } from '../transcript/conversation.ts';
import { renderView } from './render-view.ts';
import type { Attempt } from './attempt.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { Transcript } from './transcript.ts';
import type { View } from '../changes/view.ts';

// Farther away from the trigger no estimate is wrong enough to matter.
const nearShare = 0.15;

/**
 * The attempt measured by an exact tokenizer, as it would be sent, where the estimate is within 15 % of the trigger and
 * the provider has not counted this session yet. Elsewhere the attempt as it is: exact counting is some twenty times
 * dearer.
 */
export function measuredExactly(attempt: Attempt, exact: Estimator | undefined): Attempt {
  const { transcript, view, gauge, budget, state } = attempt;
  const distance = Math.abs(actualTokens(attempt) - budget.triggerTokens);
  if (!exact || state.usage !== null || distance > budget.triggerTokens * nearShare) return attempt;
  const tokens = exactTokens(transcript, view, exact);
  const slope = view.tokens > 0 ? tokens / view.tokens : 1;
  const exactGauge = { offsetTokens: gauge.offsetTokens, slope: Math.max(0.1, slope) };
  return { ...attempt, gauge: exactGauge, measures: measuresOf(budget, exactGauge) };
}

/** Of all that reaches the model, repairs and all. */
function exactTokens(transcript: Transcript, view: View, estimator: Estimator): number {
  const { codec, conversation } = transcript;
  const meter = { estimator, media: transcript.media };
  let tokens = 0;
  for (const { message, ordinal } of renderView(transcript, view).messages) {
    const isUnread = ordinal !== undefined && isHidden(conversation, positionOf(conversation, ordinal));
    if (!isUnread) tokens += measureEntry(codec.decode(message, ordinal ?? 0), meter).tokens;
  }
  return tokens;
}
