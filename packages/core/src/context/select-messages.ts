import { openPass, stageInput } from './pass.ts';
import { emptyState } from './state.ts';
import { selectRange } from '../stages/select-range.ts';
import type { ContextState } from './state.ts';
import type { CompactionPlan } from '../stages/select-range.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

/** Which messages the strategy's compaction would replace now, in ordinals; `undefined` when there is nothing to gain. */
export function selectMessages(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): CompactionPlan | undefined {
  const pass = openPass(transcript, state, policy);
  const ladderStep = policy.strategy.ladderSteps.find(({ type }) => type === 'compact');
  if (ladderStep?.type !== 'compact') return undefined;
  const { keep, keepsFirstTurn } = ladderStep;
  return selectRange(stageInput(pass), { keep, keepsFirstTurn, injection: policy.injection ?? 'pair' });
}
