import {
  anything,
  checkOptions,
  checkPolicy,
  invalidOption,
  isOptions,
  oneOfTexts,
  optionalFunction,
  optionalList,
  optionalText,
  required,
  withFunctions,
} from '@throughline/core';
import type { OptionChecks } from '@throughline/core';
import type { AdapterOptions, StateStore } from './adapter-options.ts';

/** What every adapter takes. */
const adapterOptions: OptionChecks<AdapterOptions> = {
  policy: required({
    expected: 'a policy',
    fits: isOptions,
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

export { checkOptions, optionalList, optionalText };
