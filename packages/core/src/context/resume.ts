import { cannotFit, ready } from './finish.ts';
import { ContextError } from '../errors/context-error.ts';
import { isOverUsable } from './prepare.ts';
import { openAttempt, viewOf, withTrigger } from './attempt.ts';
import { resumeClimb } from './ladder.ts';
import type { Answer } from '../summary/model-request.ts';
import type { Attempt } from './attempt.ts';
import type { Paused, Step } from './step.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

/**
 * Goes on with a step that asked for a model. The history is handed in again and may have grown meanwhile. Whatever
 * the answer is, the pass ends: an answer that is no good makes the digest write the prose, a cancelled one leaves the
 * old view.
 *
 * @throws {ContextError} `bad-state` when `paused` is not from this version.
 */
export function resume(transcript: Transcript, paused: Paused, policy: Policy, answer: Answer): Step {
  if (paused.version !== 1) {
    throw new ContextError(
      'bad-state',
      `Expected a paused step of version 1, got ${String(paused.version)}.`,
      {
        expected: 'a paused step of version 1',
        received: paused.version,
      },
    );
  }
  const opened = openAttempt(transcript, paused.state, policy);
  const { view, skipped } = viewOf(transcript, paused.live);
  const asItWas: Attempt = { ...opened, live: paused.live, view, skipped, rungs: paused.rungs };
  const attempt = withTrigger(asItWas, paused.triggerTokens);
  const windowTokens =
    policy.summariser?.type === 'model' ? policy.summariser.windowTokens : opened.budget.windowTokens;
  const climbed = resumeClimb(attempt, paused, answer, windowTokens);
  if (climbed.type === 'model-needed') return climbed;
  if (climbed.type === 'cancelled') return isOverUsable(opened) ? cannotFit(opened, true) : ready(opened);
  if (isOverUsable(climbed.attempt)) return cannotFit(climbed.attempt, false);
  return ready(climbed.attempt, { reason: paused.reason, summariser: climbed.summariser });
}
