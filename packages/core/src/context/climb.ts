export type CompactionReason =
  | 'overflow'
  | 'threshold'
  | 'preflight'
  | 'provider-error'
  | 'model-switch'
  | 'background'
  | 'manual';

/** Why the ladder is climbed, and what the user said to it. */
export interface Climb {
  readonly reason: CompactionReason;
  readonly focus?: string;
  /** Rungs with a fold are climbed although nothing presses: the user asked. */
  readonly isForced: boolean;
  /** No model is asked: a summary was written ahead of need, and nobody waits for a second one. */
  readonly isModelFree: boolean;
  /** The trigger the marks are taken from. */
  readonly triggerTokens: number;
  /** Most the request may measure where its bytes press: less than what is usable. */
  readonly usableTokens?: number;
}
