import { AbortableWait } from '@throughline/system';
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
  using late = new LateAbort(signal);
  using wait = new AbortableWait(late.signal);
  try {
    for (;;) {
      const next = await wait.waitFor(events.next());
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
    if (!late.signal.aborted) await returned;
  }
}

/** A signal that is aborted a moment after another one. */
class LateAbort implements Disposable {
  readonly #signal: AbortSignal;
  readonly #late = new AbortController();
  readonly #onAbort = (): void => {
    this.#timer = setTimeout(() => this.#late.abort(), graceMs);
  };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
