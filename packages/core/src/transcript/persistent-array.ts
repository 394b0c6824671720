interface Store<Item> {
  readonly items: Item[];
}

/**
 * An append-only sequence with value semantics: `append` returns a new array, the old one keeps its length.
 * Arrays of one lineage share their storage, so that appending costs only what is appended; appending twice to the
 * same array copies once. Nothing that was read from one ever changes.
 */
export class PersistentArray<Item> {
  readonly length: number;
  readonly #store: Store<Item>;

  private constructor(store: Store<Item>, length: number) {
    this.#store = store;
    this.length = length;
  }

  static of<Item>(items: readonly Item[]): PersistentArray<Item> {
    return new PersistentArray({ items: [...items] }, items.length);
  }

  /** The item at `index`, or `undefined` outside `[0, length)`. */
  at(index: number): Item | undefined {
    return index >= 0 && index < this.length ? this.#store.items[index] : undefined;
  }

  append(items: readonly Item[]): PersistentArray<Item> {
    if (items.length === 0) return this;
    const isNewest = this.#store.items.length === this.length;
    const store = isNewest ? this.#store : { items: this.#store.items.slice(0, this.length) };
    for (let index = 0; index < items.length; index += 1) store.items.push(items[index] as Item);
    return new PersistentArray(store, store.items.length);
  }

  slice(first = 0, end: number = this.length): Item[] {
    return this.#store.items.slice(Math.max(0, first), Math.min(end, this.length));
  }

  /** Whether `other` is this array or an earlier state of its lineage: then its items are these items. */
  isExtensionOf(other: PersistentArray<Item>): boolean {
    return this.#store === other.#store && this.length >= other.length;
  }

  // No generator, which costs as much as what is done with an item; no copy, for whoever stops early.
  [Symbol.iterator](): Iterator<Item> {
    const { items } = this.#store;
    const { length } = this;
    let index = 0;
    return {
      next(): IteratorResult<Item> {
        if (index >= length) return { done: true, value: undefined };
        return { done: false, value: items[index++] as Item };
      },
    };
  }
}
