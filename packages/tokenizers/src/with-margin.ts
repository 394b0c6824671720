import type { Estimator } from '@throughline/core';

/**
 * The same estimator, `share` higher: for a vocabulary that is not the model's own. `share` is a fraction ≥ 0.
 *
 * @default 0.1
 */
export function withMargin(estimator: Estimator, share = 0.1): Estimator {
  const factor = 1 + share;
  return {
    name: `${estimator.name} + ${Math.round(share * 100)} %`,
    count: (text) => estimator.count(text) * factor,
  };
}
