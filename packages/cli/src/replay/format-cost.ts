import { formatNumber } from '../terminal/numbers.ts';
import type { ReplayPrices } from './replayed.ts';

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
