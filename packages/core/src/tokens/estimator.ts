/** Estimates how many tokens a text costs. Pure; must accept any string, in time linear in its length. */
export interface Estimator {
  readonly name: string;
  /** Tokens of `text`, ≥ 0; need not be an integer. The empty text costs 0. */
  count(text: string): number;
}

/** Characters ÷ 4, rounded up: the rule of thumb of the field. Right for English prose, far too low for the rest. */
export const charactersEstimator: Estimator = {
  name: 'characters',
  count: (text) => Math.ceil(text.length / 4),
};
