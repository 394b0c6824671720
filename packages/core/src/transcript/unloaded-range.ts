/** Messages `[first, end)` of the full history. */
export interface OrdinalRun {
  readonly first: number;
  readonly end: number;
}

/** A range of which not all messages were loaded. What is known of it is trusted: it was checked when it was made. */
export interface UnloadedRange extends OrdinalRun {
  readonly fingerprint: string;
  /** See `RangeAnchor`. */
  readonly runs?: readonly OrdinalRun[];
}
