import { irreducible } from './irreducible.ts';
import { openPass } from './pass.ts';
import type { ContextState } from './state.ts';
import type { MeasuredPart } from '../errors/context-error.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

/**
 * What the next request cannot do without, the biggest first: what is to be named where a provider refuses a request
 * that nothing makes smaller. Changes nothing.
 */
export function biggestParts(
  transcript: Transcript,
  policy: Policy,
  state: ContextState,
): readonly MeasuredPart[] {
  return irreducible(openPass(transcript, state, policy)).parts;
}
