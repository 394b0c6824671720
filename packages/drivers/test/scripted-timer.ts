import type { Clock, Timer } from '@throughline/ports';

export interface ScriptedTimer extends Timer, Clock {
  /** Waits that were asked for. */
  readonly waits: readonly number[];
}

/**
 * A timer in which time passes when it is waited for: each wait ends at once, as the script says; beyond the script it
 * lasts until it is aborted.
 */
export function scriptedTimer(...ends: readonly ('elapsed' | 'never')[]): ScriptedTimer {
  const waits: number[] = [];
  let nowMs = 1_000_000;
  return {
    waits,
    nowMs: () => nowMs,
    wait: (delayMs, signal) => {
      waits.push(delayMs);
      if (signal?.aborted) return Promise.resolve('aborted');
      if (ends[waits.length - 1] === 'elapsed') {
        nowMs += delayMs;
        return Promise.resolve('elapsed');
      }
      return new Promise((resolve) =>
        signal?.addEventListener('abort', () => resolve('aborted'), { once: true }),
      );
    },
  };
}
