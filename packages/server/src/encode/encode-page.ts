import type { Page } from '@throughline/ports';

/** A page, each item in the form of the contract. */
export function encodePage<Item, Encoded>(page: Page<Item>, encode: (item: Item) => Encoded): Page<Encoded> {
  return { items: page.items.map(encode), next: page.next };
}
