/** Those who are told of something, each once for each time that it was added. */
export class Listeners<Told extends readonly unknown[]> {
  readonly #listeners = new Set<(...told: Told) => void>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Until it is disposed of, or throws. */
  add(listener: (...told: Told) => void): Disposable {
    // The same function may subscribe twice: each subscription is its own.
    const own = (...told: Told): void => listener(...told);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  tell(...told: Told): void {
    for (const listener of this.#listeners) {
      try {
        listener(...told);
      } catch {
        // One listener's fault is not the run's, nor the others'.
        this.#listeners.delete(listener);
      }
    }
  }
}
