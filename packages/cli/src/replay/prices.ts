import { findModel, pricingOf } from '@throughline/core';
import { formatNumber } from '../terminal/numbers.ts';
import type { Pricing } from '@throughline/core';
import type { ReplayPrices } from './replayed.ts';

/** What the replay is billed with. */
export interface PriceChoice {
  readonly pricing: Pricing;
  readonly unit: ReplayPrices['unit'];
  /** The catalogue's model, whose prices these are; `null` where they are not known. */
  readonly model: string | null;
  /** Prompts above this cost more than is counted. */
  readonly pricedUpToTokens: number | undefined;
}

const perMillion = 1_000_000;

/** What most providers have in common: a cached token costs a tenth, an answer five times as much. */
const relative: Pricing = {
  prices: { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 5 },
  cache: { kind: 'automatic', lifetimeMs: 5 * 60_000 },
};

/** The prices of a model, where the catalogue knows them; else what the same costs in uncached input tokens. */
export function choosePrices(model: string | undefined): PriceChoice {
  const entry = model === undefined ? undefined : findModel(model)?.entry;
  const pricing = entry && pricingOf(entry);
  if (!entry || !pricing)
    return { pricing: relative, unit: 'input-tokens', model: null, pricedUpToTokens: undefined };
  return { pricing, unit: 'usd', model: entry.id, pricedUpToTokens: entry.pricedUpToTokens };
}

/** The engine's dollars, in the unit of the replay: where an input token costs 1 a million, they are such tokens. */
export function inUnit(dollars: number, unit: ReplayPrices['unit']): number {
  return unit === 'usd' ? dollars : dollars * perMillion;
}

/** A cost as it is shown: dollars in as many digits as say something, or a number of uncached input tokens. */
export function formatCost(cost: number, { unit }: Pick<ReplayPrices, 'unit'>): string {
  if (unit === 'input-tokens') return formatNumber(Math.round(cost));
  const amount = Math.abs(cost);
  const sign = cost < 0 ? '-' : '';
  if (amount >= 100) return `${sign}$${formatNumber(amount)}`;
  if (amount >= 1 || amount === 0) return `${sign}$${amount.toFixed(2)}`;
  if (amount >= 0.01) return `${sign}$${amount.toFixed(3)}`;
  return `${sign}$${amount.toPrecision(2)}`;
}

/** The same with its unit, for sentences. */
export function costInWords(cost: number, prices: Pick<ReplayPrices, 'unit'>): string {
  return prices.unit === 'usd' ? formatCost(cost, prices) : `${formatCost(cost, prices)} input tokens`;
}

/** A cost without the noise of its arithmetic: to a millionth of a dollar, or to a token. */
export function roundedCost(cost: number, { unit }: Pick<ReplayPrices, 'unit'>): number {
  return unit === 'usd' ? Math.round(cost * 1e6) / 1e6 : Math.round(cost);
}
