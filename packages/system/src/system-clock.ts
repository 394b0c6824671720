import type { Clock } from '@throughline/ports';

/** The time on the wall. */
export const systemClock: Clock = { nowMs: () => Date.now() };
