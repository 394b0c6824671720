import type { Estimator } from '../tokens/estimator.ts';

export interface TakeOptions<Item> {
  readonly maxTokens: number;
  readonly estimator: Estimator;
  readonly write: (item: Item) => string;
}

/** The texts of the first items that fit, each on a line of its own. */
export function takeFitting<Item>(items: readonly Item[], options: TakeOptions<Item>): string[] {
  const { maxTokens, estimator, write } = options;
  const taken: string[] = [];
  let leftTokens = maxTokens;
  for (const item of items) {
    const text = write(item);
    leftTokens -= estimator.count(text) + 1;
    if (leftTokens < 0) break;
    taken.push(text);
  }
  return taken;
}
