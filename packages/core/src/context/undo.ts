import { upgradeCheckpoint } from '../pass/earlier-words.ts';
import { isObject } from '../json/json.ts';
import { badState, checkTranscript } from '../history/check-input.ts';
import { openPass, requestTokens } from '../pass/pass.ts';
import { changeKey } from '../changes/change.ts';
import { ContextError } from '../errors/context-error.ts';
import { voidedReasoning } from '../stages/bound-reasoning.ts';
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
 * A checkpoint that came from outside, checked, and in the words of today.
 *
 * @throws {ContextError} `bad-state` for what is no checkpoint of a step.
 */
export function parseCheckpoint(stored: unknown): Checkpoint {
  const checkpoint = upgradeCheckpoint(stored);
  const { id, changes, retired, truncation, historyEnd } = (
    isObject(checkpoint) ? checkpoint : {}
  ) as Partial<Checkpoint>;
  const isOne =
    typeof id === 'string' &&
    Array.isArray(changes) &&
    isObject(truncation) &&
    typeof historyEnd === 'number';
  if (!isOne || !Array.isArray(retired)) throw badState('the checkpoint of a step', checkpoint);
  return checkpoint as Checkpoint;
}

/** Reasoning that is bound to its prefix and was written behind the checkpoint's view goes with that view. */
export function withoutVoided(
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

/** The state before a checkpoint, whether or not its view would fit: for preview and comparison. */
export function formerState(given: ContextState, stored: Checkpoint): ContextState {
  const state = parseState(given);
  const checkpoint = parseCheckpoint(stored);
  const added = new Set(checkpoint.changes.map(changeKey));
  const kept = state.changes.filter((change) => !added.has(changeKey(change)));
  return {
    ...state,
    changes: [...checkpoint.retired, ...kept],
    head: checkpoint.parent,
    // What was truncated in the same step comes back by itself: truncation is a function of the history.
    truncation: checkpoint.truncation,
    // Usage was measured on the other view: only the calibration of the estimate stays true.
    usage: null,
    floorTokens: 0,
    offeredTokens: null,
    isAutoCompactionPaused: true,
  };
}
