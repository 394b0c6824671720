import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import * as openTelemetry from '@opentelemetry/api';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Config } from '@throughline/config';
import type { Problems } from './composition.ts';

export type OtlpConfig = Pick<Config['telemetry'], 'endpoint' | 'serviceName' | 'sampleRatio'>;

/** A collector that does not answer must not keep a program from ending. */
const exportTimeoutMs = 3_000;

export interface OtlpSdk {
  readonly api: typeof openTelemetry;
  /** Sends what is left. Never rejects. */
  readonly stop: () => Promise<void>;
}

/** Sends spans and metrics to a collector, for the whole process. What cannot be sent is told. */
export function startOtlp({ endpoint, serviceName, sampleRatio }: OtlpConfig, problems?: Problems): OtlpSdk {
  const resource = resourceFromAttributes({ 'service.name': serviceName });
  const base = endpoint.endsWith('/') ? endpoint : `${endpoint}/`;
  const exporterTo = (path: string): { url: string; timeoutMillis: number } => ({
    url: new URL(path, base).href,
    timeoutMillis: exportTimeoutMs,
  });
  const tracing = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(exporterTo('v1/traces')) })],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(exporterTo('v1/metrics')),
  });
  const metering = new MeterProvider({ resource, readers: [reader] });
  register({ tracing, metering, problems });
  return {
    api: openTelemetry,
    stop: async () => {
      await Promise.allSettled([tracing.shutdown(), metering.shutdown()]);
      const { context, diag, metrics, propagation, trace } = openTelemetry;
      for (const part of [trace, metrics, context, propagation, diag]) part.disable();
    },
  };
}

function register({
  tracing,
  metering,
  problems,
}: {
  readonly tracing: TracerProvider;
  readonly metering: MeterProvider;
  readonly problems: Problems | undefined;
}): void {
  const { context, diag, metrics, propagation, trace } = openTelemetry;
  if (problems) diag.setLogger(diagnosticsOf(problems), openTelemetry.DiagLogLevel.INFO);
  trace.setGlobalTracerProvider(tracing);
  metrics.setGlobalMeterProvider(metering);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
}

function diagnosticsOf(problems: Problems): openTelemetry.DiagLogger {
  const warn = (message: string): void => problems.warn({ event: 'telemetry' }, message);
  const ignore = (): void => undefined;
  // That a collector does not answer is said as information.
  return { error: warn, warn, info: warn, debug: ignore, verbose: ignore };
}
