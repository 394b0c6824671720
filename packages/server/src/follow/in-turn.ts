/** Does what has the same key one after the other, in the order in which it was asked for. */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    // Whether the one before went well is told to whoever asked for it.
    const before = this.#last.get(key)?.catch(() => {}) ?? Promise.resolve();
    const done = before.then(work);
    this.#last.set(key, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}
