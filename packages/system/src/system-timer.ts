import type { Timer } from '@throughline/ports';

const longestMs = 2 ** 31 - 1;

/** Real time. */
export const systemTimer: Timer = {
  wait: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve('aborted');
        return;
      }
      const stop = (): void => {
        clearTimeout(timeout);
        resolve('aborted');
      };
      const timeout = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve('elapsed');
        },
        Math.min(delayMs, longestMs),
      );
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
