import { emptyState } from './state.ts';
import { openAttempt } from './attempt.ts';
import { reasonToClimb } from './prepare.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

/**
 * Whether the next `prepare` would climb the strategy's rungs by itself: not where compaction is switched off or waits
 * for the user, nor soon after an undo or after a pass that could not get lower. Changes nothing.
 */
export function shouldCompact(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): boolean {
  return reasonToClimb(openAttempt(transcript, state, policy)) !== undefined;
}
