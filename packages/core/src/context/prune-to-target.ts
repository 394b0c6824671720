import { applyLadderStep, stageInput } from './pass.ts';
import { pruneParts } from '../stages/prune-parts.ts';
import type { Pass } from './pass.ts';

/** The pass with old output pruned down to the target, where that gains what `prune` asks for at least. */
export function pruneToTarget(pass: Pass): Pass {
  const { measures } = pass;
  const changes = pruneParts(stageInput(pass), {
    targetTokens: measures.target,
    keep: measures.keep,
    leastGainTokens: measures.leastGain,
    onlyIfEnough: false,
  });
  return applyLadderStep(pass, 'prune', changes);
}
