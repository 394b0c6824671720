import { errorMessage } from '@throughline/core/internal';
import type { Answer, ModelRequest } from '@throughline/core';
import type { Driver } from './model-driver.ts';

const cancelled: Answer = { type: 'failed', cause: 'cancelled', message: 'cancelled' };

/**
 * An answer in every case: what a driver throws is a failure of the summary, not of the session. Once the signal is
 * aborted the answer is `cancelled` at once, also from a driver that does not listen to it; what comes later is thrown
 * away.
 */
export async function askDriver(
  driver: Driver,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<Answer> {
  if (!signal) return complete(driver, request);
  if (signal.aborted) return cancelled;
  using aborted = abortOf(signal);
  return await Promise.race([complete(driver, request, signal), aborted.answer]);
}

async function complete(driver: Driver, request: ModelRequest, signal?: AbortSignal): Promise<Answer> {
  try {
    return await driver.complete(request, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted === true) return cancelled;
    return {
      type: 'failed',
      cause: 'unavailable',
      message: errorMessage(error),
    };
  }
}

/** The answer that an abort gives; disposing of it takes the listener away. */
function abortOf(signal: AbortSignal): Disposable & { readonly answer: Promise<Answer> } {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const listener = (): void => resolve(cancelled);
  signal.addEventListener('abort', listener, { once: true });
  return { answer: promise, [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}
