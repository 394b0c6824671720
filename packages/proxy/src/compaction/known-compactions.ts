import { NewestMap } from '../state/newest-map.ts';

interface Known {
  readonly token: Promise<string>;
  readonly work: AbortController;
  waiting: number;
  isDone: boolean;
}

const mostKnown = 200;

/**
 * Compactions by the history they are of: whoever asks again gets the same token, also while it is made. When the last
 * one who waits for it has gone, the work ends.
 */
export class KnownCompactions {
  readonly #known = new NewestMap<string, Known>(mostKnown);

  async token(
    key: string,
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<string>,
  ): Promise<string> {
    const known = this.#known.get(key) ?? this.#begin(key, make);
    // The one asked for last stays longest.
    this.#known.set(key, known);
    known.waiting += 1;
    const leave = (): void => {
      known.waiting -= 1;
      if (known.waiting === 0 && !known.isDone) {
        this.#known.delete(key);
        known.work.abort(signal.reason);
      }
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await known.token;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #begin(key: string, make: (signal: AbortSignal) => Promise<string>): Known {
    const work = new AbortController();
    const known: Known = { token: make(work.signal), work, waiting: 0, isDone: false };
    known.token.then(
      () => (known.isDone = true),
      () => {
        known.isDone = true;
        if (this.#known.get(key) === known) this.#known.delete(key);
      },
    );
    return known;
  }
}
