import type { ContextState, Estimator, MediaPricing, Policy, Ready } from '@throughline/core';
import type { Driver } from '@throughline/ports';

/** What every adapter takes. */
export interface AdapterOptions {
  readonly policy: Policy;
  /** Writes the prose of summaries, where the policy has a model for that. Without one code does. */
  readonly driver?: Driver;
  /** @default the script-aware heuristic */
  readonly estimator?: Estimator;
  /** How the model's provider prices images and files. @default Anthropic's */
  readonly media?: MediaPricing;
  /** Called after every step, for display and for keeping its checkpoints. */
  readonly onStep?: (step: Ready) => void;
}

/** How an adapter that follows conversations by itself finds and keeps their states. */
export interface StateStore<Message = unknown> {
  /**
   * The stored state of a conversation that is not known here: a new one, one from another process, one whose user went
   * back. @default the state of the known conversation that begins the same way, else an empty one
   */
  readonly load?: (
    messages: readonly Message[],
  ) => ContextState | undefined | Promise<ContextState | undefined>;
  /** Called with the state after every step and every counted answer. Plain JSON. */
  readonly save?: (state: ContextState, messages: readonly Message[]) => void | Promise<void>;
}
