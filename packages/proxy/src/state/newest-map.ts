/** A map of so many entries at the most: the one that was set longest ago goes first. */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#most) break;
      this.delete(oldest);
    }
    return this;
  }
}
