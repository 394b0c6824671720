/** Estimates how many tokens a text costs. Pure; must accept any string, in time linear in its length. */
export interface Estimator {
  readonly name: string;
  /** Tokens of `text`, ≥ 0; need not be an integer. The empty text costs 0. */
  count(text: string): number;
}
