import { emptyState } from './state.ts';
import { prepare } from './prepare.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { PrepareOptions } from './prepare.ts';
import type { Step } from './step.ts';
import type { Transcript } from './transcript.ts';

/**
 * One pass over the strategy's ladder steps because the user asks for it: whatever the size, and also where nothing is
 * compacted automatically. As every step it may ask for a model; `resume` goes on.
 *
 * @throws {ContextError} `invalid-option` for a policy outside its ranges, `bad-state` for a state that is none.
 */
export function compact(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
  options: Omit<PrepareOptions, 'reason'> = {},
): Step {
  return prepare(transcript, state, policy, { ...options, reason: 'manual' });
}
