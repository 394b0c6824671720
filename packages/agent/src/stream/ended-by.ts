import type { ModelEvent, ModelFailure } from '@throughline/ports';

/** What a driver that listens needs to say how it ended; one that does not is left behind. */
const graceMs = 50;

const cancelled: ModelFailure = { kind: 'cancelled', message: 'cancelled', recoverable: false };

/** The events of a step; ends as cancelled soon after the signal is aborted, also where the driver does not listen. */
export async function* endedBy(
  signal: AbortSignal,
  stream: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, void, undefined> {
  const events = stream[Symbol.asyncIterator]();
  using patience = new Patience(signal);
  try {
    for (;;) {
      const next = await patience.waitFor(events.next());
      if (!next) {
        yield { type: 'error', failure: cancelled, messages: [] };
        return;
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    const returned = events.return?.().catch(() => undefined);
    // One that does not listen does not return either.
    if (!patience.isOver) await returned;
  }
}

/** Waits for one thing after the other until a moment after the signal is aborted. One listener serves all waits. */
class Patience implements Disposable {
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => {
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#giveUp?.(undefined);
    }, graceMs);
  };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #giveUp: ((nothing: undefined) => void) | undefined;
  #isOver = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** `undefined` once nobody waits any more. */
  waitFor<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#giveUp = resolve;
      promise.then(resolve, reject);
      if (this.#isOver) resolve(undefined);
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
