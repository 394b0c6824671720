import type { Estimator } from '../tokens/estimator.ts';

export interface TakeOptions<Item> {
  readonly maxTokens: number;
  readonly estimator: Estimator;
  readonly write: (item: Item) => string;
}

export interface Taken {
  readonly texts: readonly string[];
  /** What they cost, with a separator behind each. */
  readonly tokens: number;
}

/** The texts of the first items that fit, each on a line of its own. */
export function takeFitting<Item>(items: readonly Item[], options: TakeOptions<Item>): Taken {
  const { maxTokens, estimator, write } = options;
  const texts: string[] = [];
  let tokens = 0;
  for (const item of items) {
    const text = write(item);
    const withText = tokens + estimator.count(text) + 1;
    if (withText > maxTokens) break;
    tokens = withText;
    texts.push(text);
  }
  return { texts, tokens };
}
