import { guardFetch, patientFetch } from '../stream/guard-fetch.ts';
import type OpenAI from 'openai';
import type { OpenaiEndpoint } from '../endpoint.ts';

/** A client for streams: tries once, keeps quiet, follows no redirect. Its library is loaded with the first request. */
export async function createOpenaiClient(endpoint: OpenaiEndpoint): Promise<OpenAI> {
  const { baseUrl, apiKey = 'none', timeoutMs = 600_000, headers } = endpoint;
  const { fetch: given = patientFetch(timeoutMs) } = endpoint;
  const { default: Client } = await import('openai');
  return new Client({
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
