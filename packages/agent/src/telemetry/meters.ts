import { metric } from './names.ts';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';

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

/** Writes one number of a kind. */
export type Meters = {
  readonly [Name in keyof typeof instruments]: (value: number, attributes: Attributes) => void;
};

interface Instrument {
  readonly type: 'histogram' | 'counter';
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly buckets?: readonly number[];
}

// Buckets as the conventions advise them.
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

const runSeconds = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];

const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power);

const percents = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100];

const instruments = {
  tokens: {
    type: 'histogram',
    name: metric.clientTokenUsage,
    unit: '{token}',
    description: 'Input and output tokens of a model call.',
    buckets: tokens,
  },
  callSeconds: {
    type: 'histogram',
    name: metric.clientOperationDuration,
    unit: 's',
    description: 'Duration of a model call.',
    buckets: seconds,
  },
  firstChunkSeconds: {
    type: 'histogram',
    name: metric.clientOperationTimeToFirstChunk,
    unit: 's',
    description: 'From the request to the first thing the model says.',
    buckets: seconds,
  },
  runSeconds: {
    type: 'histogram',
    name: metric.invokeAgentDuration,
    unit: 's',
    description: 'Duration of a run.',
    buckets: runSeconds,
  },
  toolSeconds: {
    type: 'histogram',
    name: metric.executeToolDuration,
    unit: 's',
    description: 'Duration of a tool call.',
    buckets: seconds,
  },
  compactions: {
    type: 'counter',
    name: metric.compactions,
    unit: '{compaction}',
    description: 'Compactions, by how they ended.',
  },
  compactionSeconds: {
    type: 'histogram',
    name: metric.compactionDuration,
    unit: 's',
    description: 'Duration of a compaction.',
    buckets: seconds,
  },
  savedTokens: {
    type: 'counter',
    name: metric.savedTokens,
    unit: '{token}',
    description: 'Tokens that compactions took off the context.',
  },
  contextPercent: {
    type: 'histogram',
    name: metric.contextPercent,
    unit: '%',
    description: 'How full the context was after a step.',
    buckets: percents,
  },
  prunedOutputs: {
    type: 'counter',
    name: metric.prunedOutputs,
    unit: '{output}',
    description: 'Tool outputs that were pruned.',
  },
  overflows: {
    type: 'counter',
    name: metric.overflows,
    unit: '{overflow}',
    description: 'Requests that exceeded the context.',
  },
  repairs: {
    type: 'counter',
    name: metric.repairs,
    unit: '{repair}',
    description: 'Places of a request that had to be mended, by kind.',
  },
} as const satisfies Readonly<Record<string, Instrument>>;

/** All instruments, made once. */
export function createMeters({ metrics }: Pick<TelemetryApi, 'metrics'>): Meters {
  const meter = metrics.getMeter(scopeName);
  const made = Object.entries<Instrument>(instruments).map(([key, { type, name, buckets, ...options }]) => {
    if (type === 'counter') {
      const counter = meter.createCounter(name, options);
      return [key, (value: number, attributes: Attributes) => counter.add(value, attributes)];
    }
    const advice = buckets ? { advice: { explicitBucketBoundaries: [...buckets] } } : {};
    const histogram = meter.createHistogram(name, { ...options, ...advice });
    return [key, (value: number, attributes: Attributes) => histogram.record(value, attributes)];
  });
  return Object.fromEntries(made) as Meters;
}
