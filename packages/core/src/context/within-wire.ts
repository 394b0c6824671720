import { applyRung, stageInput, withTrigger } from './attempt.ts';
import { climb } from './ladder.ts';
import { isOverWire, stripMedia, wireSize } from '../stages/wire-size.ts';
import { toActual } from '../budget/gauge.ts';
import type { Attempt } from './attempt.ts';
import type { Climb } from './climb.ts';
import type { WireExcess } from './step.ts';

/** The attempt without the media that are too many or too heavy. */
export function withinWire(attempt: Attempt): Attempt {
  const limits = attempt.policy.wire;
  if (!limits) return attempt;
  const changes = stripMedia(stageInput(attempt), limits);
  return applyRung(attempt, 'fit', changes, 'media beyond the limits of the request');
}

/** What the request weighs, where that is more than the provider takes. */
export function wireExcess(attempt: Attempt): WireExcess | undefined {
  const limits = attempt.policy.wire;
  if (!limits) return undefined;
  const size = wireSize(stageInput(attempt));
  return isOverWire(size, limits) ? { ...size, ...limits } : undefined;
}

// Texts differ in how many bytes a token has: a few corrections find the size that fits.
const mostTrials = 4;

/**
 * The climb with marks so low that the request comes within its bytes, found without a model. Where none are low
 * enough, no model is asked either: what it would write could not be sent.
 */
export function lightClimb(attempt: Attempt, climbing: Climb): Climb {
  let lowest = climbing;
  let excess = wireExcess(attempt);
  let estimate = attempt.view.tokens;
  for (let trial = 0; excess && trial < mostTrials; trial += 1) {
    const { bytes, maxBytes = Infinity } = excess;
    estimate *= Math.min(0.95, maxBytes / bytes);
    const usableTokens = Math.max(1, Math.floor(toActual(attempt.gauge, estimate)));
    const triggerTokens = Math.min(climbing.triggerTokens, usableTokens);
    lowest = { ...climbing, isModelFree: true, triggerTokens, usableTokens };
    const climbed = climb(withTrigger(attempt, lowest), lowest);
    excess = climbed.type === 'model-needed' ? undefined : wireExcess(climbed.attempt);
  }
  return excess ? lowest : { ...lowest, isModelFree: climbing.isModelFree };
}
