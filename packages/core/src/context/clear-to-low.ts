import { applyRung, stageInput } from './attempt.ts';
import { clear } from '../stages/clear.ts';
import type { Attempt } from './attempt.ts';

/** The attempt with old output cleared down to the low mark, where that gains what `prune` asks for at least. */
export function clearToLow(attempt: Attempt): Attempt {
  const { measures } = attempt;
  const changes = clear(stageInput(attempt), {
    targetTokens: measures.low,
    keep: measures.keep,
    leastGainTokens: measures.leastGain,
    onlyIfEnough: false,
  });
  return applyRung(attempt, 'clear', changes);
}
