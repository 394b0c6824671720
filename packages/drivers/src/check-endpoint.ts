import {
  checkOptions,
  isOptions,
  numberFrom,
  optionalFunction,
  optionalText,
  required,
} from '@throughline/core';
import type { OptionCheck, OptionChecks } from '@throughline/core';
import type { OpenaiEndpoint } from './openai/openai-client.ts';

export const address: OptionCheck = {
  expected: 'an address that begins with http:// or https://',
  fits: (value) => typeof value === 'string' && /^https?:\/\//i.test(value),
};

export const endpointChecks: OptionChecks<OpenaiEndpoint> = {
  model: required(optionalText),
  baseUrl: required(address),
  apiKey: optionalText,
  provider: optionalText,
  timeoutMs: numberFrom(1),
  headers: { expected: 'names with a text each', fits: isOptions },
  fetch: optionalFunction,
};

/**
 * Where keys and histories go is never a guess: an address under another name (`baseURL`) would be the SDK's own.
 *
 * @throws {ContextError} `invalid-option` that names the option.
 */
export function checkOpenaiEndpoint(endpoint: OpenaiEndpoint): void {
  checkOptions('', endpoint, endpointChecks);
}
