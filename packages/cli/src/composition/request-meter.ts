import {
  countText,
  countTools,
  defaultMediaPricing,
  findModel,
  measureEntry,
  observe,
  scriptAwareEstimator,
  startCalibration,
  toActual,
  tokenizerSlope,
} from '@throughline/core';
import type { Calibration } from '@throughline/core';
import type { ModelDriver, ModelEvent, StepRequest } from '@throughline/ports';

export interface RequestMeter {
  /** What a request should come to in the provider's own count. Messages that were measured before cost nothing. */
  readonly tokensOf: (request: StepRequest) => number;
  /** The driver, from whose usage the token scale learns. */
  readonly learnFrom: (driver: ModelDriver) => ModelDriver;
}

const meter = { estimator: scriptAwareEstimator, media: defaultMediaPricing };
/** Where nobody knows the window, usage above twice this is not believed. */
const unknownWindowTokens = 1_000_000;

/** Estimates whole requests to one model, and calibrates itself. */
export function createRequestMeter(
  { codec, model }: ModelDriver,
  windowTokens: () => number | undefined,
): RequestMeter {
  const known = new WeakMap<object, number>();
  let calibration: Calibration = startCalibration(
    tokenizerSlope(findModel(model)?.entry.tokenizer ?? 'other'),
  );

  function messageTokens(message: unknown, ordinal: number): number {
    const remembered = isObject(message) ? known.get(message) : undefined;
    const tokens = remembered ?? measureEntry(codec.decode(message, ordinal), meter).tokens;
    if (isObject(message)) known.set(message, tokens);
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
    tokensOf: (request) => toActual(calibration, estimate(request)),
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
