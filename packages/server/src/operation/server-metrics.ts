import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ContextError } from '@throughline/core';
import { metricTable } from './metric-table.ts';
import type { Agent, AgentEvent, AgentEvents, AgentEventType } from '@throughline/agent';
import type { MetricKind, MetricName } from './metric-table.ts';
import type { SessionStore } from '@throughline/ports';

type Labels = Readonly<Record<string, string>>;

/** What a request came to. */
interface AnsweredRequest {
  readonly method: string;
  /** The pattern of the route: never the address that was asked for. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly isStream: boolean;
}

/** What a request through a route came to. */
interface ProxiedRequest {
  /** As the configuration calls it. */
  readonly route: string;
  readonly status: number;
  /** What was done to its context. */
  readonly action: string;
  readonly savedTokens: number;
}

export interface ServerMetrics extends Disposable {
  /** A request has arrived; the function is called when its answer is over. */
  begin(): { readonly streams: () => void; readonly end: (request: AnsweredRequest) => void };
  /** A request that was handed on to an upstream has been answered. */
  proxied(request: ProxiedRequest): void;
  /** An error that a caller can do nothing about; those of the store are counted. */
  fault(error: unknown): void;
  /** All of it in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

interface MetricsOptions {
  /** @default there is none */
  readonly agent?: Pick<Agent, 'subscribe' | 'busyCount' | 'store'>;
  readonly readers: () => number;
  readonly version: string;
  /** Name of this process among those on the same store. */
  readonly nodeName: string;
}

/** Adds to a counter, puts something into a histogram, or sets a gauge. */
type Tell = (name: MetricName, value: number, labels?: Labels) => void;

export function createServerMetrics({ agent, readers, version, nodeName }: MetricsOptions): ServerMetrics {
  const registry = new Registry();
  const tell = tellerOf(registry);
  const subscription = agent?.subscribe((_, event) => observe(event, tell), { from: 'here' });
  let open = 0;
  let openStreams = 0;
  const fault = (error: unknown): void => {
    if (ContextError.is(error) && error.code.startsWith('store-'))
      tell('storeErrors', 1, { code: error.code });
  };
  return {
    contentType: registry.contentType,
    begin() {
      open += 1;
      let isStream = false;
      return {
        streams() {
          if (!isStream) openStreams += 1;
          isStream = true;
        },
        end({ method, route, status, durationMs }) {
          open -= 1;
          if (isStream) openStreams -= 1;
          else tell('requestSeconds', durationMs / 1_000, { method, route });
          tell('requests', 1, { method, route, status: String(status) });
        },
      };
    },
    proxied({ route, status, action, savedTokens }) {
      tell('proxied', 1, { route, status: String(status), action });
      if (savedTokens > 0) tell('proxySavedTokens', savedTokens, { route });
    },
    fault,
    async text() {
      tell('openRequests', open);
      tell('openStreams', openStreams);
      tell('subscribers', readers());
      tell('busySessions', agent?.busyCount ?? 0);
      tell('build', 1, { version, node: nodeName });
      // A store that fails is the affair of `/ready`; the other numbers are wanted now more than ever.
      if (agent)
        await Promise.all([tellWaiting(agent.store, tell), tellFleet(agent.store, tell)]).catch(fault);
      const [own, process] = await Promise.all([registry.metrics(), processRegistry().metrics()]);
      return `${own}\n${process}`;
    },
    [Symbol.dispose]: () => subscription?.[Symbol.dispose](),
  };
}

let ofProcess: Registry | undefined;

/** Memory, processor, handles and event loop: there is one process, however many servers are in it. */
function processRegistry(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

function tellerOf(registry: Registry): Tell {
  const tellers: Readonly<Record<string, (value: number, labels: Labels) => void>> = Object.fromEntries(
    Object.entries<MetricKind>(metricTable).map(([key, kind]) => [key, metricOf(kind, registry)]),
  );
  return (name, value, labels = {}) => tellers[name]?.(value, labels);
}

function metricOf(
  { type, name, help, labels, buckets }: MetricKind,
  registry: Registry,
): (value: number, labels: Labels) => void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === 'counter') {
    const counter = new Counter(options);
    return (value, given) => counter.inc(given, value);
  }
  if (type === 'gauge') {
    // Of what nobody has told there is no number: 0 would be one.
    let gauge: Gauge | undefined;
    return (value, given) => (gauge ??= new Gauge(options)).set(given, value);
  }
  const histogram = new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) });
  return (value, given) => histogram.observe(given, value);
}

async function tellWaiting(store: SessionStore, tell: Tell): Promise<void> {
  const unfinished = await store.journal.unfinished();
  const waiting = unfinished.filter(({ hasWaiting }) => hasWaiting);
  const counts = await Promise.all(
    waiting.map(async ({ sessionId }) => (await store.inbox.waiting(sessionId)).length),
  );
  tell(
    'queuedMessages',
    counts.reduce((sum, count) => sum + count, 0),
  );
}

async function tellFleet(store: SessionStore, tell: Tell): Promise<void> {
  const fleet = await store.fleet?.();
  if (!fleet) return;
  tell('fleetNodes', fleet.nodes);
  tell('fleetLeasedSessions', fleet.leasedSessions);
  tell('crashDetector', fleet.hasCrashDetector ? 1 : 0);
  for (const [state, count] of Object.entries(fleet.connections)) tell('storeConnections', count, { state });
}

type Observers = {
  readonly [Type in AgentEventType]?: (data: AgentEvents[Type], tell: Tell) => void;
};

const observers: Observers = {
  'run:start': ({ isResumed }, tell) => tell('runsStarted', 1, { resumed: String(isResumed) }),
  'run:end': ({ outcome }, tell) => {
    tell('runsEnded', 1, { outcome: outcome.type });
    if (outcome.type === 'broken' && outcome.code.startsWith('store-'))
      tell('storeErrors', 1, { code: codeLabel(outcome.code) });
  },
  'step:end': ({ usage, durationMs, firstTokenMs }, tell) => {
    tell('stepSeconds', durationMs / 1_000);
    if (firstTokenMs !== null) tell('firstTokenSeconds', firstTokenMs / 1_000);
    if (!usage) return;
    tell('tokens', usage.input, { kind: 'input' });
    tell('tokens', usage.output, { kind: 'output' });
    tell('tokens', usage.reasoning, { kind: 'reasoning' });
    tell('tokens', usage.cacheRead, { kind: 'cache-read' });
    tell('tokens', usage.cacheWrite, { kind: 'cache-write' });
  },
  'context:compressed': ({ reason, originalTokens, compressedTokens }, tell) => {
    tell('compactions', 1, { reason });
    tell('savedTokens', Math.max(0, originalTokens - compressedTokens), { reason });
  },
  'compaction:error': ({ error }, tell) => tell('failedCompactions', 1, { code: codeLabel(error.code) }),
  'llm:error': ({ error }, tell) => tell('modelErrors', 1, { code: codeLabel(error.code) }),
  'llm:retry': ({ reason }, tell) => tell('modelRetries', 1, { kind: reason.kind }),
};

/** What a session has told, as numbers. */
function observe({ type, data }: AgentEvent, tell: Tell): void {
  const observer = observers[type] as ((data: unknown, tell: Tell) => void) | undefined;
  observer?.(data, tell);
}

/** A code of ours: whatever else somebody calls an error is one kind. */
function codeLabel(code: string): string {
  return /^[a-z]+(-[a-z]+){0,3}$/.test(code) && code.length <= 32 ? code : 'other';
}
