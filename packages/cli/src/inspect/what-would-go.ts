import { createStrategy, emptyState, prepare, prune, renderView, replay } from '@throughline/core';
import { describeLadderStep } from '../compact/describe-ladder-step.ts';
import type { Policy, Report, Transcript } from '@throughline/core';
import type { WindowChoice } from '../reading/find-window.ts';
import type { WouldFree } from './inspection.ts';

/** What pruning alone, and a whole compaction without a model, would free now: from real runs of the engine. */
export function whatWouldGo(
  transcript: Transcript,
  { budget }: WindowChoice,
): { readonly prune: WouldFree; readonly compact: WouldFree } {
  const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget };
  const { view } = replay(transcript.conversation, []);
  if (renderView(transcript, view).messages.length === 0) return { prune: nothing, compact: nothing };
  const pruned = prune(transcript, policy);
  const compacted = prepare(transcript, emptyState(), policy, { reason: 'manual' });
  if (compacted.type === 'model-needed') throw new Error('A policy without a summariser asked for a model.');
  return {
    prune: freedBy(pruned.report, false),
    compact: freedBy(compacted.report, compacted.type === 'cannot-fit'),
  };
}

/** Of a session of which nothing can be sent. */
const nothing: WouldFree = { beforeTokens: 0, afterTokens: 0, freedTokens: 0, steps: [], cannotFit: false };

function freedBy({ tokens, ladderSteps }: Report, cannotFit: boolean): WouldFree {
  return {
    beforeTokens: tokens.before,
    afterTokens: tokens.final,
    freedTokens: Math.max(0, tokens.before - tokens.final),
    steps: ladderSteps.map(describeLadderStep),
    cannotFit,
  };
}
