import { errorMessage } from '@throughline/core/settings';
import type { Timer } from '@throughline/ports';

/** One line of `doctor`. */
export interface Finding {
  /** What was looked at: `store`, `mcp files` … */
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found and, where it is not good, what to do. */
  readonly message: string;
}

/** One thing that is looked at. */
export interface Check {
  readonly name: string;
  /** Most that it may take. @default 15 000 */
  readonly limitMs?: number;
  /** Gets aborted when its time is over. May throw: that is a `fail`. */
  readonly run: (signal: AbortSignal) => Promise<readonly Finding[]> | readonly Finding[];
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

export function warn(check: string, message: string): Finding {
  return { check, state: 'warn', message };
}

export function fail(check: string, message: string): Finding {
  return { check, state: 'fail', message };
}

const usualLimitMs = 15_000;

/** The findings of one check, whatever it does: one that throws, or does not end in time, has failed. */
export async function runCheck(
  { name, run, limitMs = usualLimitMs }: Check,
  timer: Timer,
): Promise<readonly Finding[]> {
  const late = new AbortController();
  const answered = new AbortController();
  const found = (async () => run(late.signal))().catch((error: unknown) => [fail(name, errorMessage(error))]);
  const isLate = timer.wait(limitMs, answered.signal).then((end): readonly Finding[] => {
    if (end === 'elapsed') late.abort();
    return [fail(name, `no answer within ${Math.round(limitMs / 1_000)} seconds.`)];
  });
  try {
    return await Promise.race([found, isLate]);
  } finally {
    answered.abort();
  }
}
