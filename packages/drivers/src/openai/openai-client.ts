import OpenAI from 'openai';
import { guardFetch } from '../stream/guard-fetch.ts';
import { patientFetch } from '../stream/patient-fetch.ts';

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
  /** @default Node's own, which waits for `timeoutMs` */
  readonly fetch?: typeof fetch;
}

/** A client for streams: tries once, keeps quiet, follows no redirect. */
export function createOpenaiClient(endpoint: OpenaiEndpoint): OpenAI {
  const { baseUrl, apiKey = 'none', timeoutMs = 600_000, headers } = endpoint;
  const { fetch: given = patientFetch(timeoutMs) } = endpoint;
  return new OpenAI({
    baseURL: baseUrl,
    apiKey,
    // What the environment says of OpenAI is nothing that other servers need to know.
    organization: null,
    project: null,
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    fetch: guardFetch(given),
    ...(headers && { defaultHeaders: headers }),
  });
}
