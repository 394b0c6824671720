import { checkOptions, duration } from '../errors/check-options.ts';
import { applyLadderStep, openPass } from '../pass/pass.ts';
import { ready } from './finish.ts';
import { changesNotIn } from '../changes/change.ts';
import { pruneParts } from '../stages/prune-parts.ts';
import { checkRequest } from '../history/render-view.ts';
import { emptyState } from '../pass/state.ts';
import { isCacheCold } from '../models/prices.ts';
import { paysBeforeTrigger } from '../pass/report-of.ts';
import type { Pass } from '../pass/pass.ts';
import type { ContextState } from '../pass/state.ts';
import type { Policy } from '../pass/policy.ts';
import type { Ready } from './step.ts';
import type { Transcript } from '../history/transcript.ts';

/** What `prune` is told beside history, policy and state. */
export interface PruneOptions {
  /** Milliseconds since the last request was answered, ≥ 0. @default unknown: the cache counts as warm */
  readonly idleMs?: number;
}

/**
 * Prunes old tool output without pressure: at the end of a run, or while the cache is cold anyway. Does nothing unless
 * it gains at least `leastGainTokens` of the budget; nor, where the policy knows the prices and the cache is
 * warm, before the requests until the trigger save what the new prefix costs; nor after an undo: what the user brought
 * back stays until space is needed. It is `ready` whatever the size of the request: only `prepare` makes it fit.
 *
 * @param state @default that of a history on which nothing was done yet
 * @throws {ContextError} as `prepare`
 */
export function prune(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
  options: PruneOptions = {},
): Ready {
  checkOptions<PruneOptions>('', options, { idleMs: duration });
  const pass = openPass(transcript, state, policy, { idleMs: options.idleMs });
  checkRequest(transcript, pass.view);
  const pruned = pruneIfItPays(pass);
  return pruned === pass ? ready(pass) : ready(pruned, 'threshold');
}

/** Whether `prune` would do anything. */
export function needsPruning(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
  options: PruneOptions = {},
): boolean {
  checkOptions<PruneOptions>('', options, { idleMs: duration });
  const pass = openPass(transcript, state, policy, { idleMs: options.idleMs });
  return pruneIfItPays(pass) !== pass;
}

function pruneIfItPays(pass: Pass): Pass {
  const { measures, state, policy, live, idleMs } = pass;
  if (state.isAutoCompactionPaused) return pass;
  const changes = pruneParts(pass, { targetTokens: 0, leastGainTokens: measures.leastGain });
  const pruned = applyLadderStep(pass, 'prune', changes);
  if (pruned === pass || !policy.pricing || isCacheCold(policy.pricing, idleMs)) return pruned;
  return paysBeforeTrigger(pruned, changesNotIn(pruned.live, live)) ? pruned : pass;
}
