/** What one number is, for whoever collects it. */
export interface MetricKind {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  /** Names of labels. No value of one is ever an id, a text, or a name that a caller gave. */
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

const requestSeconds = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const stepSeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320];

/** Everything that `/metrics` tells, but for what the process says of itself. The guide lists this very table. */
export const metricTable = {
  requests: {
    type: 'counter',
    name: 'throughline_http_requests_total',
    help: 'Requests that were answered, streams when they end.',
    labels: ['method', 'route', 'status'],
  },
  requestSeconds: {
    type: 'histogram',
    name: 'throughline_http_request_duration_seconds',
    help: 'From a request to the end of its answer; streams of events are not among them.',
    labels: ['method', 'route'],
    buckets: requestSeconds,
  },
  proxied: {
    type: 'counter',
    name: 'throughline_proxy_requests_total',
    help: 'Requests through routes of the proxy, by what was done to their context.',
    labels: ['route', 'status', 'action'],
  },
  proxySavedTokens: {
    type: 'counter',
    name: 'throughline_proxy_saved_tokens_total',
    help: 'Tokens that proxied requests did not have to carry, by our own count.',
    labels: ['route'],
  },
  openRequests: {
    type: 'gauge',
    name: 'throughline_http_open_requests',
    help: 'Requests that are being answered now, streams included.',
    labels: [],
  },
  openStreams: {
    type: 'gauge',
    name: 'throughline_http_open_streams',
    help: 'Answers that are streams of events and have begun.',
    labels: [],
  },
  subscribers: {
    type: 'gauge',
    name: 'throughline_event_subscribers',
    help: 'Readers of the events of sessions.',
    labels: [],
  },
  runsStarted: {
    type: 'counter',
    name: 'throughline_runs_started_total',
    help: 'Runs that began, or went on after a restart (`resumed`).',
    labels: ['resumed'],
  },
  runsEnded: {
    type: 'counter',
    name: 'throughline_runs_ended_total',
    help: 'Runs that ended: completed, cancelled, limit, failed, cannot-fit, lost, broken.',
    labels: ['outcome'],
  },
  busySessions: {
    type: 'gauge',
    name: 'throughline_busy_sessions',
    help: 'Sessions with a run, or a compaction by hand, in this process.',
    labels: [],
  },
  queuedMessages: {
    type: 'gauge',
    name: 'throughline_queued_messages',
    help: 'Messages that wait in the store, of all sessions.',
    labels: [],
  },
  fleetNodes: {
    type: 'gauge',
    name: 'throughline_fleet_nodes',
    help: 'Processes on the same Postgres whose death the others notice at once.',
    labels: [],
  },
  fleetLeasedSessions: {
    type: 'gauge',
    name: 'throughline_fleet_leased_sessions',
    help: 'Sessions that some process on the same Postgres works on.',
    labels: [],
  },
  crashDetector: {
    type: 'gauge',
    name: 'throughline_crash_detector',
    help: '1 where other processes on the same Postgres notice the death of this one at once, else 0.',
    labels: [],
  },
  storeConnections: {
    type: 'gauge',
    name: 'throughline_store_connections',
    help: 'Connections of this process to Postgres: busy, idle, and what waits for one (`wanted`).',
    labels: ['state'],
  },
  stepSeconds: {
    type: 'histogram',
    name: 'throughline_step_duration_seconds',
    help: 'Duration of a step: one call of the model.',
    labels: [],
    buckets: stepSeconds,
  },
  firstTokenSeconds: {
    type: 'histogram',
    name: 'throughline_first_token_seconds',
    help: 'From a call of the model to the first thing it says.',
    labels: [],
    buckets: stepSeconds,
  },
  tokens: {
    type: 'counter',
    name: 'throughline_tokens_total',
    help: 'Tokens as the provider counted them: input, output, reasoning, cache-read, cache-write.',
    labels: ['kind'],
  },
  compactions: {
    type: 'counter',
    name: 'throughline_compactions_total',
    help: 'Compactions that were made, by their reason.',
    labels: ['reason'],
  },
  savedTokens: {
    type: 'counter',
    name: 'throughline_compaction_saved_tokens_total',
    help: 'Tokens that compactions took off the context.',
    labels: ['reason'],
  },
  failedCompactions: {
    type: 'counter',
    name: 'throughline_compaction_errors_total',
    help: 'Compactions that could not be made, by the code of the error.',
    labels: ['code'],
  },
  modelErrors: {
    type: 'counter',
    name: 'throughline_model_errors_total',
    help: 'Steps and summaries that failed for good, by the code of the error.',
    labels: ['code'],
  },
  modelRetries: {
    type: 'counter',
    name: 'throughline_model_retries_total',
    help: 'Further tries of a step, by the kind of the failure before.',
    labels: ['kind'],
  },
  storeErrors: {
    type: 'counter',
    name: 'throughline_store_errors_total',
    help: 'Requests, probes and runs that the store did not serve, by the code of the error.',
    labels: ['code'],
  },
  build: {
    type: 'gauge',
    name: 'throughline_build_info',
    help: 'Always 1: the version and the name of the node are its labels.',
    labels: ['version', 'node'],
  },
} as const satisfies Readonly<Record<string, MetricKind>>;

export type MetricName = keyof typeof metricTable;
