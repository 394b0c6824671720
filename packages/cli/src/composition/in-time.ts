import type { Answer } from '@throughline/core';
import type { Timer } from '@throughline/ports';

/** A model that was waited for in vain. */
export const tooLate: Answer = { type: 'failed', cause: 'timeout', message: 'it took too long' };

/**
 * The answer to one question, retries included; a failure where it does not come in time.
 *
 * @param ask ends as cancelled when its signal is aborted
 */
export async function answerInTime(
  timer: Timer,
  leftMs: number,
  ask: (late: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const late = new AbortController();
  const answered = new AbortController();
  const timing = timer.wait(leftMs, answered.signal).then((how) => {
    if (how === 'elapsed') late.abort('too late');
  });
  try {
    const answer = await ask(late.signal);
    const isLate = answer.type === 'failed' && answer.cause === 'cancelled' && late.signal.aborted;
    return isLate ? tooLate : answer;
  } finally {
    answered.abort('answered');
    await timing;
  }
}
