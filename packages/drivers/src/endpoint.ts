import {
  checkOptions,
  numberFrom,
  optionalFunction,
  optionalText,
  required,
} from '@throughline/core/internal';
import { isObject } from '@throughline/core/codec';
import type { OptionCheck, OptionChecks } from '@throughline/core/internal';

/** Where a model is, and how it is asked. */
export interface OpenaiEndpoint {
  readonly model: string;
  /** Up to and including the version, as `http://localhost:1234/v1`. */
  readonly baseUrl: string;
  /** Local servers want none. Sent to `baseUrl` only; never logged, never in a failure. */
  readonly apiKey?: string;
  /** The provider's name for events and logs. @default 'openai' */
  readonly provider?: string;
  /** Time until the server begins to answer; in the answer, longest silence of Node's own `fetch`. @default 600 000 */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Behind every address, as `api-version`. @default none */
  readonly query?: Readonly<Record<string, string>>;
  /** @default Node's own, which waits for `timeoutMs` */
  readonly fetch?: typeof fetch;
}

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
  headers: { expected: 'names with a text each', fits: isObject },
  query: { expected: 'names with a text each', fits: isObject },
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

/**
 * Headers for a client of an SDK, which writes a key whether there is one or not: where other headers say who asks, none
 * is made up beside them.
 */
export function clientHeaders({
  apiKey,
  headers = {},
}: Credentials): Readonly<Record<string, string | null>> {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (apiKey !== undefined || names.length === 0) return headers;
  const absent = ['authorization', 'x-api-key'].filter((name) => !names.includes(name));
  return { ...headers, ...Object.fromEntries(absent.map((name) => [name, null])) };
}

/** Shorter words of a header stand in many messages, and are no secrets. */
const leastChars = 8;

interface Credentials {
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * What no message may repeat: the key, and what headers hold, whole and word by word (`Bearer …`). The longest first, so
 * that none leaves the rest of another.
 */
export function secretsOf({ apiKey = '', headers = {} }: Credentials): readonly string[] {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);
  const secrets = [apiKey, ...words.filter(({ length }) => length >= leastChars)].filter((one) => one !== '');
  return [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
}
