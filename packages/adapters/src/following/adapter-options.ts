import type { ContextState, Estimator, Policy, Ready } from '@throughline/core';
import type { OptionChecks } from '@throughline/core/internal';
import type { MediaPricing } from '@throughline/core/types';
import {
  anything,
  checkPolicy,
  invalidOption,
  oneOfTexts,
  optionalFunction,
  optionalList,
  required,
  withFunctions,
} from '@throughline/core/internal';
import { isObject } from '@throughline/core/codec';
import type { Driver } from '@throughline/ports';

/** What every adapter takes. */
export interface AdapterOptions {
  /** Window, strategy and limits of every conversation. */
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

/** What every adapter takes. */
const adapterOptions: OptionChecks<AdapterOptions> = {
  policy: required({
    expected: 'a policy',
    fits: isObject,
    inside: (_option, value) => checkPolicy(value),
  }),
  driver: withFunctions('a driver', 'complete'),
  estimator: withFunctions('an estimator', 'count'),
  media: anything,
  onStep: optionalFunction,
};

/** What an adapter takes that follows conversations by itself. */
export const followingOptions: OptionChecks<AdapterOptions & StateStore> = {
  ...adapterOptions,
  load: optionalFunction,
  save: optionalFunction,
};

/** What a plain function takes beside messages and state. */
export const fitOptions = {
  ...adapterOptions,
  system: anything,
  tools: optionalList,
  reason: oneOfTexts('manual', 'provider-error', 'model-switch'),
  signal: {
    expected: 'an AbortSignal',
    fits: (value: unknown) => typeof value === 'object' && value !== null && 'aborted' in value,
  },
};

/** System text in a form of its own, as a text. */
export function textOf(system: unknown, option: string): string {
  if (typeof system === 'string') return system;
  try {
    return JSON.stringify(system) ?? '';
  } catch {
    throw invalidOption(option, 'a text, or blocks that can be said in JSON', system);
  }
}
