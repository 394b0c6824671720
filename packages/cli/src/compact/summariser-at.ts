import { answerInTime } from '../composition/in-time.ts';
import type { Composition } from '../composition/composition.ts';
import type { Driver, RetryPolicy } from '@throughline/ports';
import type { EndpointModel } from '@throughline/config';

/** A model server that speaks OpenAI Chat Completions. */
interface Endpoint {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** For one answer, in however many tries. */
  readonly timeoutMs: number;
}

type Needed = Pick<Composition, 'timer' | 'createDriverFrom' | 'createSummariserFrom'>;

/** Somebody waits in front of it, and code can write the summary, too. */
const retry: RetryPolicy = { attempts: 3, firstDelayMs: 500, longestWaitMs: 60_000 };

/** Asks the model that was named on the command line, as a chat asks the one that is configured. */
export function summariserAt(endpoint: Endpoint, composition: Needed): Driver {
  const driver = composition.createSummariserFrom(composition.createDriverFrom(modelAt(endpoint), { retry }));
  return {
    name: driver.name,
    complete: (request, { signal }) =>
      answerInTime(composition.timer, endpoint.timeoutMs, (late) =>
        driver.complete(request, { signal: signal ? AbortSignal.any([signal, late]) : late }),
      ),
  };
}

function modelAt({ model: name, baseUrl, apiKey, timeoutMs }: Endpoint): EndpointModel {
  return {
    provider: 'openai-compatible',
    protocol: 'openai-chat',
    name,
    baseUrl,
    endpoint: 'hosted',
    apiKeyEnv: 'THROUGHLINE_API_KEY',
    needsKey: false,
    ...(apiKey !== undefined && { apiKey }),
    headers: {},
    timeoutMs,
    idleTimeoutMs: timeoutMs,
  };
}
