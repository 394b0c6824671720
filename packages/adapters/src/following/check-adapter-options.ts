import {
  anything,
  checkOptions,
  oneOfTexts,
  optionalFunction,
  optionalList,
  optionalText,
  required,
  withFunctions,
} from '@throughline/core';
import type { OptionChecks } from '@throughline/core';
import type { AdapterOptions, StateStore } from './adapter-options.ts';

/** What every adapter takes. The policy is looked at by the engine itself. */
const adapterOptions: OptionChecks<AdapterOptions> = {
  policy: required({ expected: 'a policy', fits: (value) => typeof value === 'object' && value !== null }),
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

export { checkOptions, optionalList, optionalText };
