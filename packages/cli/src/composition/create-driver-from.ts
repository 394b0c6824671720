import {
  createAnthropicDriver,
  createDemoDriver,
  createOpenaiChatDriver,
  createOpenaiResponsesDriver,
  withCutDetection,
  withIdleTimeout,
  withRetry,
  withToolFallback,
} from '@throughline/drivers';
import { createRequestMeter } from './request-meter.ts';
import { limitsOf } from './limits-of.ts';
import { systemClock, systemTimer } from '@throughline/system';
import type { DriverOptions } from './composition.ts';
import type { EndpointModel, ModelConfig } from '@throughline/config';
import type { ModelDriver } from '@throughline/ports';

interface Endpoint {
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const drivers: {
  readonly [Protocol in EndpointModel['protocol']]: (endpoint: Endpoint) => ModelDriver;
} = {
  'openai-chat': createOpenaiChatDriver,
  'openai-responses': createOpenaiResponsesDriver,
  anthropic: createAnthropicDriver,
};

/** A configured model as a driver that notices cut prompts, gives up on silence, does without tools and tries again. */
export function createDriverFrom(model: ModelConfig, options: DriverOptions = {}): ModelDriver {
  if (model.provider === 'demo') {
    return createDemoDriver({ timer: systemTimer, windowTokens: limitsOf(model).window.tokens });
  }
  const { windowTokens = () => statedWindow(model), discoverWindow } = options;
  const bare = drivers[model.protocol](endpointOf(model));
  const tokenScale = createRequestMeter(bare, windowTokens);
  const detection = {
    estimateTokens: tokenScale.tokensOf,
    windowTokens,
    ...(discoverWindow && { discoverWindow }),
  };
  const seeing = tokenScale.learnFrom(withCutDetection(bare, detection));
  const patient = withIdleTimeout(seeing, {
    timer: systemTimer,
    firstMs: model.timeoutMs,
    betweenMs: model.idleTimeoutMs,
  });
  return withRetry(withTemperature(withToolFallback(patient), model.temperature), {
    clock: systemClock,
    timer: systemTimer,
  });
}

function endpointOf({ name, provider, baseUrl, apiKey, headers, ...model }: EndpointModel): Endpoint {
  return {
    model: name,
    provider,
    baseUrl,
    headers,
    // The connection waits long enough for both; which of them is over is seen outside.
    timeoutMs: Math.max(model.timeoutMs, model.idleTimeoutMs),
    ...(apiKey !== undefined && { apiKey }),
  };
}

/** A window that nobody states is no ground for a suspicion. */
function statedWindow(model: ModelConfig): number | undefined {
  const { window } = limitsOf(model);
  return window.source === 'default' ? undefined : window.tokens;
}

/** What a request says itself goes first. */
function withTemperature(driver: ModelDriver, temperature: number | undefined): ModelDriver {
  if (temperature === undefined) return driver;
  return { ...driver, stream: (request, call) => driver.stream({ temperature, ...request }, call) };
}
