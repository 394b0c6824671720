/** What answers, refusals above all, have shown of the model that writes summaries and decides in a review. Plain JSON. */
export interface LearnedScale {
  /** Its tokens per token of the estimate, `null` before it has counted a request. */
  readonly slope: number | null;
  /** Its window as an error has named it. */
  readonly windowTokens: number | null;
}
