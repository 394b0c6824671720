/** A session that may keep its context in memory. */
export interface ContextHolder {
  readonly isBusy: boolean;
  /** The store has all that is forgotten. */
  forget(): void;
}

/**
 * Whose context is in memory: that of the sessions used last, so that a process that serves any number of them does not
 * grow. The next run of another one reads it from the store again. One that is busy keeps its own.
 */
export class KeptContexts {
  readonly #most: number;
  /** The one used last at the end. */
  readonly #holders = new Set<ContextHolder>();

  constructor(most: number) {
    this.#most = most;
  }

  use(holder: ContextHolder): void {
    this.#holders.delete(holder);
    this.#holders.add(holder);
    for (const one of this.#holders) {
      if (this.#holders.size <= this.#most) return;
      if (one === holder || one.isBusy) continue;
      this.#holders.delete(one);
      one.forget();
    }
  }

  drop(holder: ContextHolder): void {
    this.#holders.delete(holder);
  }
}
