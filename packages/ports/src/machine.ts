import { randomUUID } from 'node:crypto';

/** Says what time it is. The only clock that packages below a composition root know. */
export interface Clock {
  /** Milliseconds since 1970, as on the wall. */
  nowMs(): number;
}

/** Makes ids that are unique over all processes that share a store. */
export interface IdSource {
  /** @param kind what it is for (`message`, `session`, `inbox` …); may be part of the id. */
  nextId(kind: string): string;
}

/** Lets time pass. Handed in, so that tests do not wait. */
export interface Timer {
  /** Resolves after the delay, or at once when the signal is aborted; says which. Never rejects. */
  wait(delayMs: number, signal?: AbortSignal): Promise<'elapsed' | 'aborted'>;
}

/** The time on the wall. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Ids that are unique over all processes, and say what they are for. */
export const randomIds: IdSource = { nextId: (kind) => `${kind}_${randomUUID()}` };

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

/**
 * Waits for one thing after the other, and for nothing any more once the signal is aborted. One listener for a whole
 * stream: adding and removing one for each chunk costs more than reading it. Dispose of it with the stream.
 */
export class AbortableWait implements Disposable {
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.#giveUp?.(undefined);
  #giveUp: ((nothing: undefined) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** What the promise gives, or `undefined` at once when the signal is aborted, whatever becomes of it then. */
  waitFor<Value extends object>(promise: Promise<Value>): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#giveUp = resolve;
      promise.then(resolve, reject);
      if (this.#signal.aborted) resolve(undefined);
    });
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
