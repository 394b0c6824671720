import { applyLadderStep, stageInput, withTrigger } from './pass.ts';
import { runLadder } from './ladder.ts';
import { isOverWire, stripMedia, wireSize } from '../stages/wire-size.ts';
import { toActual } from '../budget/token-scale.ts';
import type { Pass } from './pass.ts';
import type { PassRequest } from './pass-request.ts';
import type { WireExcess } from './step.ts';

/** The pass without the media that are too many or too heavy. */
export function withinWire(pass: Pass): Pass {
  const limits = pass.policy.wire;
  if (!limits) return pass;
  const changes = stripMedia(stageInput(pass), limits);
  return applyLadderStep(pass, 'fit', changes, 'media beyond the limits of the request');
}

/** What the request weighs, where that is more than the provider takes. */
export function wireExcess(pass: Pass): WireExcess | undefined {
  const limits = pass.policy.wire;
  if (!limits) return undefined;
  const size = wireSize(stageInput(pass));
  return isOverWire(size, limits) ? { ...size, ...limits } : undefined;
}

// Texts differ in how many bytes a token has: a few corrections find the size that fits.
const mostTrials = 4;

/**
 * The pass with limits so low that the request comes within its bytes, found without a model. Where none are low
 * enough, no model is asked either: what it would write could not be sent.
 */
export function lightPass(pass: Pass, passRequest: PassRequest): PassRequest {
  let lowest = passRequest;
  let excess = wireExcess(pass);
  let estimate = pass.view.tokens;
  for (let trial = 0; excess && trial < mostTrials; trial += 1) {
    const { bytes, maxBytes = Infinity } = excess;
    estimate *= Math.min(0.95, maxBytes / bytes);
    const usableTokens = Math.max(1, Math.floor(toActual(pass.tokenScale, estimate)));
    const triggerTokens = Math.min(passRequest.triggerTokens, usableTokens);
    lowest = { ...passRequest, isModelFree: true, triggerTokens, usableTokens };
    const ladderResult = runLadder(withTrigger(pass, lowest), lowest);
    excess = ladderResult.type === 'model-needed' ? undefined : wireExcess(ladderResult.pass);
  }
  return excess ? lowest : { ...lowest, isModelFree: passRequest.isModelFree };
}
