import type { ModelPrices } from './model-entry.ts';

/** Prompt and answer together, and the answer alone. */
export type Sizes = readonly [windowTokens: number, maxOutputTokens: number];

/** Dollars per million tokens. A cache price of 0 means that there is none: full price. */
export type PriceRow = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

export function pricesOf([input, output, cacheRead, cacheWrite]: PriceRow): ModelPrices {
  return { input, output, cacheRead: cacheRead || input, cacheWrite: cacheWrite || input };
}
