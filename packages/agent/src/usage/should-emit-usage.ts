import type { ContextUsage } from '../events/agent-event.ts';

/** Four times a second. */
export const leastPauseMs = 250;

export interface EmissionTimes {
  /** When `before` was told. */
  readonly lastEmittedAtMs: number;
  readonly nowMs: number;
}

/**
 * Whether the usage of now is worth an event while an answer is streaming: always where the level has changed, else at
 * most four times a second, and never where nothing has.
 *
 * @param before what was told last; `null` before the first time
 */
export function shouldEmitUsage(
  before: ContextUsage | null,
  now: ContextUsage,
  { lastEmittedAtMs, nowMs }: EmissionTimes,
): boolean {
  if (before === null || before.level !== now.level) return true;
  // A clock that was set back must not keep the meter still.
  if (Math.abs(nowMs - lastEmittedAtMs) < leastPauseMs) return false;
  return told.some((field) => before[field] !== now[field]);
}

const told = [
  'currentTokens',
  'limit',
  'windowTokens',
  'triggerTokens',
  'estimated',
] as const satisfies readonly (keyof ContextUsage)[];
