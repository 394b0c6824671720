import { changeKey, isRangeChange } from '../changes/change.ts';
import { replay } from '../changes/replay.ts';
import { checkTranscript } from '../history/check-input.ts';
import { openPass, requestTokens } from '../pass/pass.ts';
import { ContextError } from '../errors/context-error.ts';
import { voidedReasoning } from '../stages/bound-reasoning.ts';
import { formerState, laterState, parseCheckpoint } from './checkpoints.ts';
import type { Change } from '../changes/change.ts';
import type { Checkpoint } from './step.ts';
import { parseState } from '../pass/state.ts';
import type { ContextState } from '../pass/state.ts';
import type { Policy } from '../pass/policy.ts';
import type { Transcript } from '../history/transcript.ts';

/**
 * Takes the newest checkpoint back: the state before it, with nothing copied and nothing lost. Until space is needed
 * nothing is compacted automatically again.
 *
 * @param stored the checkpoint that is `head` of the state
 * @throws {ContextError} `not-found` when it is not the newest one; `undo-refused`, with the numbers, when the former
 * view, its new results truncated, would not fit; `not-loaded` when that view shows messages that were not loaded;
 * `bad-state` for a state or a checkpoint that is none; `invalid-option` for a policy or a transcript that is none.
 */
export function undo(
  transcript: Transcript,
  given: ContextState,
  policy: Policy,
  stored: Checkpoint,
): ContextState {
  checkTranscript(transcript);
  const state = parseState(given);
  const checkpoint = parseCheckpoint(stored);
  if (checkpoint.id !== state.head) {
    throw new ContextError(
      'not-found',
      `Expected the newest checkpoint ${String(state.head)}, got ${checkpoint.id}.`,
      {
        kind: 'checkpoint',
        id: checkpoint.id,
        known: state.head === null ? [] : [state.head],
      },
    );
  }
  const former = withoutVoided(transcript, formerState(state, checkpoint), policy, checkpoint);
  const pass = openPass(transcript, former, policy);
  const viewTokens = requestTokens(pass);
  const { usableTokens } = pass.budget;
  if (viewTokens > usableTokens) {
    const message = `The former view measures ${viewTokens} tokens; ${usableTokens} are usable.`;
    throw new ContextError('undo-refused', message, { usableTokens, viewTokens });
  }
  return former;
}

/**
 * Puts a checkpoint that was taken back in force again. Nothing may stand between: it was made behind the newest one, and
 * the messages that it replaces are as they were. What came later (results that were truncated, above all) stays.
 *
 * @throws {ContextError} `not-found` when `checkpoint` was not made behind the newest one, or the messages that it
 * replaces are no longer as they were (the request would show them all); `not-loaded` when the view shows messages that
 * were not loaded; `bad-state` for a state or a checkpoint that is none.
 */
export function redo(
  transcript: Transcript,
  state: ContextState,
  policy: Policy,
  checkpoint: Checkpoint,
): ContextState {
  checkTranscript(transcript);
  const later = laterState(state, checkpoint);
  const { skipped } = replay(transcript.conversation, later.changes);
  if (skipped.some((change) => isRangeChange(change) && madeBy(checkpoint, change))) {
    const message = `The messages that ${checkpoint.id} replaces are no longer as they were.`;
    throw new ContextError('not-found', message, { kind: 'checkpoint', id: checkpoint.id, known: [] });
  }
  return withoutVoided(transcript, later, policy, checkpoint);
}

function madeBy({ changes }: Checkpoint, change: Change): boolean {
  return changes.some((made) => changeKey(made) === changeKey(change));
}

/** Reasoning that is bound to its prefix and was written behind the checkpoint's view goes with that view. */
function withoutVoided(
  { conversation }: Transcript,
  former: ContextState,
  { reasoningBinding }: Policy,
  { historyEnd }: Checkpoint,
): ContextState {
  const voided = voidedReasoning(conversation, former.changes, {
    from: historyEnd,
    binding: reasoningBinding,
  });
  return voided.length === 0 ? former : { ...former, changes: [...former.changes, ...voided] };
}
