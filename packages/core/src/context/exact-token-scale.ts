import { actualTokens } from './pass.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import { measuresOf } from '../budget/measures.ts';
import { isHidden } from '../changes/view.ts';
import { positionOf } from '../transcript/conversation.ts';
import { renderView } from './render-view.ts';
import type { Pass } from './pass.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { Transcript } from './transcript.ts';
import type { View } from '../changes/view.ts';

// Farther away from the trigger no estimate is wrong enough to matter.
const nearShare = 0.15;

/**
 * The pass measured by an exact tokenizer, as it would be sent, where the estimate is within 15 % of the trigger and
 * the provider has not counted this session yet. Elsewhere the pass as it is: exact counting is some twenty times
 * dearer.
 */
export function measuredExactly(pass: Pass, exact: Estimator | undefined): Pass {
  const { transcript, view, tokenScale, budget, state } = pass;
  const distance = Math.abs(actualTokens(pass) - budget.triggerTokens);
  if (!exact || state.usage !== null || distance > budget.triggerTokens * nearShare) return pass;
  const tokens = exactTokens(transcript, view, exact);
  const slope = view.tokens > 0 ? tokens / view.tokens : 1;
  const exactTokenScale = { offsetTokens: tokenScale.offsetTokens, slope: Math.max(0.1, slope) };
  return { ...pass, tokenScale: exactTokenScale, measures: measuresOf(budget, exactTokenScale) };
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
