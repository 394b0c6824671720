import type * as OpenTelemetry from '@opentelemetry/api';

type Of<Name extends keyof typeof OpenTelemetry> = (typeof OpenTelemetry)[Name];

/**
 * What is used of `@opentelemetry/api`; the module itself fits. It is handed in, so that nothing is loaded where nothing
 * is observed. Start the SDK first: a meter that was asked for before stays silent.
 */
export interface TelemetryApi {
  readonly trace: Pick<Of<'trace'>, 'getTracer' | 'setSpan'>;
  readonly metrics: Pick<Of<'metrics'>, 'getMeter'>;
  readonly context: Pick<Of<'context'>, 'active' | 'with'>;
  readonly propagation: Pick<Of<'propagation'>, 'createBaggage' | 'getBaggage' | 'setBaggage'>;
  readonly SpanKind: Of<'SpanKind'>;
  readonly SpanStatusCode: Of<'SpanStatusCode'>;
}

/** The scope that spans and metrics are told under. */
export const scopeName = '@throughline/agent';
