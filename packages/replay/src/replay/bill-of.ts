import { isCacheCold, priceRequest } from '@throughline/core';
import type { LoggedRequest } from './request-log.ts';
import type { Pricing } from '@throughline/core';

/** What the requests of a replay cost, in the currency of the prices; the answers, which are those recorded, apart. */
export interface Bill {
  /** Prompts, and what a model was asked for summaries and decisions. */
  readonly total: number;
  /** Of it: the questions to a model and its answers to them. */
  readonly asked: number;
  /** Tokens of all prompts, and of them those the provider had in its cache. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
}

/**
 * The cache holds the beginning that a request shares with the one before, unless the pause between them was longer
 * than its lifetime. A question to the summariser is sent once: nothing of it is cached.
 */
export function billOf(requests: readonly LoggedRequest[], pricing: Pricing): Bill {
  const uncached: Pricing = { ...pricing, cache: { ...pricing.cache, kind: 'none' } };
  let [prompts, asked, inputTokens, cachedTokens] = [0, 0, 0, 0];
  for (const { tokens = 0, repeatedTokens, gapMs, asked: questions } of requests) {
    const cached = isCacheCold(pricing, gapMs) ? 0 : repeatedTokens;
    prompts += priceRequest(pricing, { inputTokens: tokens, cachedTokens: cached });
    for (const question of questions) asked += priceRequest(uncached, question);
    inputTokens += tokens;
    cachedTokens += cached;
  }
  return { total: prompts + asked, asked, inputTokens, cachedTokens };
}
