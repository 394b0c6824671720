import { openAttempt, stageInput } from './attempt.ts';
import { emptyState } from './state.ts';
import { selectFold } from '../stages/select-fold.ts';
import type { ContextState } from './state.ts';
import type { FoldPlan } from '../stages/select-fold.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

/** Which messages the strategy's fold would replace now, in ordinals; `undefined` when there is nothing to gain. */
export function selectMessages(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): FoldPlan | undefined {
  const attempt = openAttempt(transcript, state, policy);
  const rung = policy.strategy.rungs.find(({ type }) => type === 'fold');
  if (rung?.type !== 'fold') return undefined;
  const { keep, keepsFirstTurn } = rung;
  return selectFold(stageInput(attempt), { keep, keepsFirstTurn, injection: policy.injection ?? 'pair' });
}
