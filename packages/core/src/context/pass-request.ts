export type CompactionReason =
  | 'overflow'
  | 'threshold'
  | 'preflight'
  | 'provider-error'
  | 'model-switch'
  | 'background'
  | 'manual';

/** Why the ladder runs, and what the user said to it. */
export interface PassRequest {
  readonly reason: CompactionReason;
  readonly focus?: string;
  /** Ladder steps that compact run although nothing presses: the user asked. */
  readonly isForced: boolean;
  /** No model is asked: a summary was written ahead of need, and nobody waits for a second one. */
  readonly isModelFree: boolean;
  /** The trigger that the limits are taken from. */
  readonly triggerTokens: number;
  /** Most the request may measure where its bytes press: less than what is usable. */
  readonly usableTokens?: number;
}
