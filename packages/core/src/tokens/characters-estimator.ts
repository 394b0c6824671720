import type { Estimator } from './estimator.ts';

/** Characters ÷ 4, rounded up: the rule of thumb of the field. Right for English prose, far too low for the rest. */
export const charactersEstimator: Estimator = {
  name: 'characters',
  count: (text) => Math.ceil(text.length / 4),
};
