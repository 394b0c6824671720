import { emptyState } from './state.ts';
import { openPass } from './pass.ts';
import { reasonForPass } from './prepare.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

/**
 * Whether the next `prepare` would run the strategy's ladder by itself: not where compaction is switched off or waits
 * for the user, nor soon after an undo or after a pass that could not get lower. Changes nothing.
 */
export function shouldCompact(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): boolean {
  return reasonForPass(openPass(transcript, state, policy)) !== undefined;
}
