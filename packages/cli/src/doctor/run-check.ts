import { fail } from './finding.ts';
import type { Check, Finding } from './finding.ts';
import type { Timer } from '@throughline/ports';

const usualLimitMs = 15_000;

/** The findings of one check, whatever it does: one that throws, or does not end in time, has failed. */
export async function runCheck(
  { name, run, limitMs = usualLimitMs }: Check,
  timer: Timer,
): Promise<readonly Finding[]> {
  const late = new AbortController();
  const answered = new AbortController();
  const found = (async () => run(late.signal))().catch((error: unknown) => [fail(name, sentenceOf(error))]);
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

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
