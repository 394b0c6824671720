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
import { limitsOf } from './limits-of.ts';
import { systemClock, systemTimer } from '@throughline/ports';
import { countText, findModel, measureEntry, scriptAwareEstimator } from '@throughline/core';
import {
  countTools,
  defaultMediaPricing,
  observe,
  startCalibration,
  calibratedTokens,
  tokenizerSlope,
} from '@throughline/core/internal';
import type { DriverOptions } from './composition.ts';
import type { EndpointModel, ModelConfig } from '@throughline/config';
import type { ModelDriver, ModelEvent, StepRequest } from '@throughline/ports';
import type { Calibration } from '@throughline/core/internal';

interface Endpoint {
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
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
    ...options.retry,
    clock: systemClock,
    timer: systemTimer,
  });
}

function endpointOf({ name, provider, baseUrl, apiKey, headers, query, ...model }: EndpointModel): Endpoint {
  return {
    model: name,
    provider,
    baseUrl,
    headers,
    // The connection waits long enough for both; which of them is over is seen outside.
    timeoutMs: Math.max(model.timeoutMs, model.idleTimeoutMs),
    ...(apiKey !== undefined && { apiKey }),
    ...(query && { query }),
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

interface RequestMeter {
  /** What a request should come to in the provider's own count. Messages that were measured before cost nothing. */
  readonly tokensOf: (request: StepRequest) => number;
  /** The driver, from whose usage the token scale learns. */
  readonly learnFrom: (driver: ModelDriver) => ModelDriver;
}

const meter = { estimator: scriptAwareEstimator, media: defaultMediaPricing };
/** Where nobody knows the window, usage above twice this is not believed. */
const unknownWindowTokens = 1_000_000;

/** Estimates whole requests to one model, and calibrates itself. */
function createRequestMeter(
  { codec, model }: ModelDriver,
  windowTokens: () => number | undefined,
): RequestMeter {
  const known = new WeakMap<object, number>();
  let calibration: Calibration = startCalibration(
    tokenizerSlope(findModel(model)?.entry.tokenizer ?? 'other'),
  );

  function messageTokens(message: unknown, ordinal: number): number {
    const remembered = isReference(message) ? known.get(message) : undefined;
    const tokens = remembered ?? measureEntry(codec.decode(message, ordinal), meter).tokens;
    if (isReference(message)) known.set(message, tokens);
    return tokens;
  }

  function estimate({ system, messages, tools = [] }: StepRequest): number {
    const systemText = typeof system === 'string' ? system : JSON.stringify(system ?? '');
    return messages.reduce<number>(
      (sum, message, ordinal) => sum + messageTokens(message, ordinal),
      countText(systemText, scriptAwareEstimator) + countTools(tools, scriptAwareEstimator),
    );
  }

  function learn(request: StepRequest, event: ModelEvent): void {
    if (event.type !== 'end' || !event.usage) return;
    calibration = observe(calibration, {
      estimateTokens: estimate(request),
      actualTokens: event.usage.inputTokens,
      windowTokens: windowTokens() ?? unknownWindowTokens,
      wasCut: event.wasCut === true,
    });
  }

  return {
    tokensOf: (request) => calibratedTokens(calibration, estimate(request)),
    learnFrom: (driver) => ({
      ...driver,
      async *stream(request, options) {
        for await (const event of driver.stream(request, options)) {
          learn(request, event);
          yield event;
        }
      },
    }),
  };
}

/** An object of any kind, a list too. */
function isReference(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
