import { checkOptions, duration } from '../errors/check-options.ts';
import { applyRung, openAttempt, stageInput } from './attempt.ts';
import { changesNotIn } from '../changes/change-key.ts';
import { clear } from '../stages/clear.ts';
import { emptyState } from './state.ts';
import { isCacheCold } from '../models/price-request.ts';
import { paysBeforeTrigger } from './cost-of.ts';
import { ready } from './finish.ts';
import type { Attempt } from './attempt.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { Ready } from './step.ts';
import type { Transcript } from './transcript.ts';

export interface PruneOptions {
  /** Since the last request was answered, where the host knows. */
  readonly idleMs?: number;
}

/**
 * Clears old tool output without pressure: at the end of a run, or while the cache is cold anyway. Does nothing unless
 * it gains at least min(20 000 tokens, 10 % of the trigger); nor, where the policy knows the prices and the cache is
 * warm, before the requests until the trigger save what the new prefix costs; nor after an undo: what the user brought
 * back stays until space is needed.
 */
export function prune(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
  options: PruneOptions = {},
): Ready {
  checkOptions<PruneOptions>('', options, { idleMs: duration });
  const attempt = openAttempt(transcript, state, policy, { idleMs: options.idleMs });
  const cleared = cleanUp(attempt);
  return cleared === attempt ? ready(attempt) : ready(cleared, 'threshold');
}

/** Whether `prune` would do anything. */
export function needsPruning(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
  options: PruneOptions = {},
): boolean {
  checkOptions<PruneOptions>('', options, { idleMs: duration });
  const attempt = openAttempt(transcript, state, policy, { idleMs: options.idleMs });
  return cleanUp(attempt) !== attempt;
}

function cleanUp(attempt: Attempt): Attempt {
  const { measures, state, policy, live, idleMs } = attempt;
  if (state.isHeld) return attempt;
  const cleared = applyRung(
    attempt,
    'clear',
    clear(stageInput(attempt), {
      targetTokens: 0,
      keep: measures.keep,
      leastGainTokens: measures.leastGain,
      onlyIfEnough: false,
    }),
  );
  if (cleared === attempt || !policy.pricing || isCacheCold(policy.pricing, idleMs)) return cleared;
  return paysBeforeTrigger(cleared, changesNotIn(cleared.live, live)) ? cleared : attempt;
}
