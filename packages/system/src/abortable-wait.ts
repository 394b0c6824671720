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
