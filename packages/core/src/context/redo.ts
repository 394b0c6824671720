import { checkTranscript } from '../history/check-input.ts';
import { laterState } from './checkpoints.ts';
import { withoutVoided } from './undo.ts';
import type { ContextState } from '../pass/state.ts';
import type { Transcript } from '../history/transcript.ts';
import type { Policy } from '../pass/policy.ts';
import type { Checkpoint } from './step.ts';

/**
 * Puts a checkpoint that was taken back in force again. Nothing may stand between: it was made behind the newest one.
 * What came later (results that were truncated, above all) stays.
 *
 * @throws {ContextError} `not-found` when `checkpoint` was not made behind the newest one; `bad-state` for a state or a
 * checkpoint that is none.
 */
export function redo(
  transcript: Transcript,
  state: ContextState,
  policy: Policy,
  checkpoint: Checkpoint,
): ContextState {
  checkTranscript(transcript);
  return withoutVoided(transcript, laterState(state, checkpoint), policy, checkpoint);
}
