import { applyRung, openAttempt, stageInput } from './attempt.ts';
import { clear } from '../stages/clear.ts';
import { emptyState } from './state.ts';
import { ready } from './finish.ts';
import type { Attempt } from './attempt.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { Ready } from './step.ts';
import type { Transcript } from './transcript.ts';

/**
 * Clears old tool output without pressure: at the end of a run, or while the cache is cold anyway. Does nothing unless
 * it gains at least min(20 000 tokens, 10 % of the trigger), nor after an undo: what the user brought back stays until
 * space is needed.
 */
export function prune(transcript: Transcript, policy: Policy, state: ContextState = emptyState()): Ready {
  const attempt = openAttempt(transcript, state, policy);
  const cleared = applyRung(attempt, 'clear', clearable(attempt));
  return cleared === attempt ? ready(attempt) : ready(cleared, 'threshold');
}

/** Whether `prune` would gain enough to do anything. */
export function needsPruning(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): boolean {
  return clearable(openAttempt(transcript, state, policy)).length > 0;
}

function clearable(attempt: Attempt): ReturnType<typeof clear> {
  const { measures, state } = attempt;
  if (state.isHeld) return [];
  return clear(stageInput(attempt), {
    targetTokens: 0,
    keepTokens: measures.keep,
    leastGainTokens: measures.leastGain,
    onlyIfEnough: false,
  });
}
