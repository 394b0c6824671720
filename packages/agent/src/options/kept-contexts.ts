import v8 from 'node:v8';

/** A session that may keep its context in memory. */
export interface ContextHolder {
  readonly isBusy: boolean;
  /** How large its context is: characters of text and media. */
  readonly size: number;
  /** The store has all that is forgotten. */
  forget(): void;
}

/** What contexts may take together. */
interface KeptLimits {
  readonly sessions: number;
  readonly size: number;
}

/**
 * What an agent keeps. A character takes one byte or two, and what the engine knows of it about as much again: an eighth
 * to a quarter of the heap at the most. The rest is for what is under way.
 */
export function usualKept(): KeptLimits {
  return { sessions: 64, size: v8.getHeapStatistics().heap_size_limit / 16 };
}

/**
 * Whose context is in memory: that of the sessions used last, so that a process that serves any number of them does not
 * grow, however large they are. The next run of another one reads it from the store again. One that is busy keeps its
 * own, and so does the one used last.
 */
export class KeptContexts {
  readonly #limits: KeptLimits;
  /** The one used last at the end. */
  readonly #holders = new Set<ContextHolder>();

  constructor(limits: KeptLimits) {
    this.#limits = limits;
  }

  use(holder: ContextHolder): void {
    this.#holders.delete(holder);
    this.#holders.add(holder);
    let size = 0;
    for (const one of this.#holders) size += one.size;
    for (const one of this.#holders) {
      if (this.#holders.size <= this.#limits.sessions && size <= this.#limits.size) return;
      if (one === holder || one.isBusy) continue;
      this.#holders.delete(one);
      size -= one.size;
      one.forget();
    }
  }

  drop(holder: ContextHolder): void {
    this.#holders.delete(holder);
  }
}
