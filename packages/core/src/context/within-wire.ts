import { toActual } from '../budget/measures.ts';
import { applyLadderStep, withTrigger } from '../pass/pass.ts';
import { isOverWire, stripMedia, wireSize } from '../stages/wire-size.ts';
import { runLadder } from './ladder.ts';
import type { Pass } from '../pass/pass.ts';
import type { PassRequest } from '../pass/report.ts';
import type { WireExcess } from './step.ts';

/** The pass without the media that are too many or too heavy. */
export function withinWire(pass: Pass): Pass {
  const limits = pass.policy.wire;
  if (!limits) return pass;
  const changes = stripMedia(pass, limits);
  return applyLadderStep(pass, 'fit', changes, 'media beyond the limits of the request');
}

/** What the request weighs, where that is more than the provider takes. */
export function wireExcess(pass: Pass): WireExcess | undefined {
  const limits = pass.policy.wire;
  if (!limits) return undefined;
  const size = wireSize(pass.view);
  return isOverWire(size, limits) ? { ...size, ...limits } : undefined;
}

// Texts differ in how many bytes a token has: a few corrections find the size that fits.
const mostTrials = 4;

/**
 * What a pass is asked for with limits so low that its request comes within its bytes, found without a model. Where none
 * are low enough, no model is asked either: what it would write could not be sent.
 */
export function lowerLimits(pass: Pass, passRequest: PassRequest): LoweredLimits {
  const asksModel = !passRequest.isModelFree && pass.policy.summariser?.type === 'model';
  let lowest = passRequest;
  let done: Pass | undefined;
  let excess = wireExcess(pass);
  let estimate = pass.view.tokens;
  for (let trial = 0; excess && trial < mostTrials; trial += 1) {
    const { bytes, maxBytes = Infinity } = excess;
    estimate *= Math.min(0.95, maxBytes / bytes);
    const usableTokens = Math.max(1, Math.floor(toActual(pass.tokenScale, estimate)));
    const triggerTokens = Math.min(passRequest.triggerTokens, usableTokens);
    lowest = { ...passRequest, isModelFree: true, triggerTokens, usableTokens };
    const ladderResult = runLadder(withTrigger(pass, lowest), lowest);
    done = ladderResult.type === 'model-needed' ? undefined : ladderResult.pass;
    excess = done && wireExcess(done);
  }
  if (excess) return { passRequest: lowest, done };
  const found = { ...lowest, isModelFree: passRequest.isModelFree };
  return { passRequest: found, done: asksModel ? undefined : done };
}

interface LoweredLimits {
  readonly passRequest: PassRequest;
  /** The pass at the end of its ladder, where finding the limits has run it as it would be run now. */
  readonly done: Pass | undefined;
}
