import { ContextError } from '@throughline/core';
import { systemTimer } from '@throughline/ports';

/**
 * Asks the session store anything; `ask` rejects as the store does.
 *
 * @throws {ContextError} `store-failed` where it does not answer in time
 */
export async function answersInTime(ask: () => Promise<unknown>, timeoutMs: number): Promise<void> {
  const answered = new AbortController();
  const late = systemTimer.wait(timeoutMs, answered.signal).then((how) => {
    if (how === 'elapsed')
      throw new ContextError('store-failed', 'The session store does not answer in time.', {
        store: 'sessions',
        reason: 'other',
      });
  });
  try {
    await Promise.race([ask(), late]);
  } finally {
    answered.abort();
  }
}
