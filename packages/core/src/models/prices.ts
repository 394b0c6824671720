import { checkOption, finiteNumber, objectWith, required } from '../errors/check-options.ts';
import type { CacheBehaviour, ModelEntry, ModelPrices } from './model-entry.ts';

/** What a model costs and how its provider caches. */
export interface Pricing {
  readonly prices: ModelPrices;
  readonly cache: CacheBehaviour;
}

/** Tokens of one request. Cached tokens beyond those of the prompt do not count. */
export interface PricedTokens {
  /** The whole prompt. */
  readonly inputTokens: number;
  /** How much of its beginning comes from the cache. @default 0 */
  readonly cachedTokens?: number;
  /** @default 0 */
  readonly outputTokens?: number;
}

const perMillion = 1_000_000;

const pricesAndCache = {
  prices: objectWith('prices', { input: required(finiteNumber), output: required(finiteNumber) }),
  cache: required(objectWith('how its provider caches', {})),
};

const aPricing = objectWith('prices and cache of a model, as pricingOf gives them', {
  ...pricesAndCache,
  prices: required(pricesAndCache.prices),
});

const pricedTokens = objectWith(
  'an object with inputTokens, and cachedTokens and outputTokens where there are some',
  { inputTokens: required(finiteNumber), cachedTokens: finiteNumber, outputTokens: finiteNumber },
);

/**
 * US dollars for one request. What is not read from the cache is written to it where the provider charges for that.
 *
 * @throws {ContextError} `invalid-option` for what are no prices, and no numbers of tokens.
 */
export function priceRequest(pricing: Pricing, tokens: PricedTokens): number {
  checkOption('pricing', aPricing, pricing);
  checkOption('tokens', pricedTokens, tokens);
  const { prices, cache } = pricing;
  const { inputTokens, cachedTokens = 0, outputTokens = 0 } = tokens;
  const cached = cache.kind === 'none' ? 0 : Math.min(Math.max(0, cachedTokens), inputTokens);
  const read = cached * prices.cacheRead;
  const fresh = (inputTokens - cached) * freshPrice({ prices, cache });
  return (read + fresh + outputTokens * prices.output) / perMillion;
}

/** Per million tokens of prompt that the cache does not hold. */
function freshPrice({ prices, cache }: Pricing): number {
  return cache.kind === 'none' ? prices.input : Math.max(prices.input, prices.cacheWrite);
}

/** Whether the provider has forgotten the prefix of the last request by now. */
export function isCacheCold({ cache }: Pricing, idleMs: number | undefined): boolean {
  return cache.kind === 'none' || (idleMs !== undefined && idleMs >= cache.lifetimeMs);
}

const anEntry = objectWith('the entry of a model that findModel has found', pricesAndCache);

/**
 * What a catalogue model costs; `undefined` where that depends on who runs it.
 *
 * @throws {ContextError} `invalid-option` for what is no entry.
 */
export function pricingOf(entry: Pick<ModelEntry, 'prices' | 'cache'>): Pricing | undefined {
  checkOption('entry', anEntry, entry);
  const { prices, cache } = entry;
  return prices && { prices, cache };
}
