import { field, group, named, requiredField, section } from '../fields/field.ts';
import {
  address,
  bytes,
  count,
  duration,
  flag,
  oneOf,
  share,
  texts,
  variableName,
  word,
} from '../fields/rules.ts';
import { routeContextSection } from './context-section.ts';
import type { FieldRule } from '../fields/field.ts';

const accessToken = group(
  {
    tokenEnv: requiredField(variableName, {
      about: 'Name of the environment variable that holds the token of this owner.',
    }),
    maxSessions: field(count(0), {
      about: 'Most sessions of this owner that are there at a time.',
      defaultText: 'no limit',
    }),
    maxRunsAtOnce: field(count(0), {
      about: 'Most sessions of this owner that are worked on at a time, on all machines.',
      defaultText: 'no limit',
    }),
    maxTokensPerDay: field(count(0), {
      about:
        'Tokens of prompts and answers that this owner may use in 24 hours, as the provider counts them: in sessions, for summaries and through the proxy.',
      defaultText: 'no limit',
    }),
  },
  'Who may call, and sees the sessions that were made with the same token.',
);

/** The HTTP server (spec P1, P10). */
export const serverSection = section(
  {
    host: field(word('a host name or address to listen on'), {
      about: 'Where it listens. Any other than this machine needs `tokenEnv` or `tokens`.',
      default: '127.0.0.1',
    }),
    port: field(count(0, 65_535), { about: 'The port; 0 takes a free one.', default: 4_100 }),
    tokenEnv: field(variableName, {
      about: 'Name of the environment variable that holds the token callers must show.',
      defaultText: 'none: only this machine may call',
    }),
    tokens: named(accessToken, 'Owners of sessions, each with a token of their own.'),
    models: field(texts, {
      about: 'Models a session may be switched to, beside that of `model`, as `anthropic:claude-sonnet-5`.',
      default: [],
    }),
    allowedHosts: field(texts, {
      about: 'Names a request may be addressed to, beside the address it listens on.',
      default: [],
    }),
    allowedOrigins: field(texts, { about: 'Pages of other origins that may call.', default: [] }),
    maxBodyBytes: field(bytes(1), { about: 'Largest body of a request.', default: 32_000_000 }),
    maxOpenRequests: field(count(1), {
      about: 'Most requests that are answered at a time, streams of events included.',
      default: 4_000,
    }),
    metrics: field(flag, { about: 'Numbers for Prometheus at `/metrics`.', default: true }),
    metricsOwners: field(texts, {
      about: 'Owners of `tokens` that may read `/metrics`, beside the one of `tokenEnv`.',
      default: [],
    }),
    nodeName: field(word('a name'), {
      about: 'What `/metrics` calls this process among those on the same store.',
      defaultText: 'the name of the machine',
    }),
    logLevel: field(oneOf('silent', 'error', 'warn', 'info', 'debug'), {
      about: 'What is logged, as JSON lines on standard error: `info` has a line for each request.',
      defaultText: '`info`; where standard error is a terminal, `warn`',
    }),
    stopGraceMs: field(duration(0), {
      about: 'How long a stop waits for runs to end their step; then the next start goes on with them.',
      default: 20_000,
    }),
  },
  'The HTTP server.',
);

const upstream: FieldRule<string> = {
  expected: 'an address that begins with http:// or https://, without a password in it, or "agent"',
  read: (value) => (value === 'agent' ? 'agent' : address.read(value)),
  json: { type: 'string', pattern: '^(agent|https?://.+)$' },
};

const route = group(
  {
    upstream: requiredField(upstream, {
      about: 'The server that answers, up to and including the version; `agent` is the built-in agent.',
    }),
    apiKeyEnv: field(variableName, {
      about: 'Name of the variable that holds the key sent to the upstream instead of the caller’s.',
      defaultText: 'the caller’s key is passed on',
    }),
    context: routeContextSection.optional(),
    onFailure: field(oneOf('open', 'closed'), {
      about: 'When the context cannot be managed: pass the request through untouched, or refuse it.',
      default: 'open',
    }),
    compaction: field(oneOf('proxy', 'upstream'), {
      about: 'Who compacts a history for a client that asks for an item that stands for it.',
      defaultText: '`proxy`; before OpenAI itself, `upstream`',
    }),
    notices: field(oneOf('none', 'comment', 'content'), {
      about: 'How a caller is told of a compaction.',
      default: 'none',
    }),
    includeUsage: field(flag, {
      about: 'Asks the upstream for usage in streams and keeps it from the caller.',
      default: false,
    }),
    recall: field(flag, {
      about: 'Offers the model a tool that returns what was taken out of its view, and answers its calls.',
      default: false,
    }),
    strict: field(flag, {
      about: 'Refuses a history that would have to be repaired.',
      default: false,
    }),
  },
  'One upstream and how its conversations are kept inside the window.',
);

/** The proxy (spec P4–P9). */
export const proxySection = section(
  {
    routes: named(route, 'Upstreams by the name that is part of their address.'),
    keepDays: field(count(1), {
      about: 'Days after its last request that a conversation is kept in the store.',
      default: 30,
    }),
    maxBytes: field(bytes(1), {
      about: 'Most that is kept of conversations; those not used longest go first.',
      default: 1_000_000_000,
    }),
  },
  'The proxy for other clients.',
);

/** OpenTelemetry (spec A12). */
export const telemetrySection = section(
  {
    enabled: field(flag, { about: 'Sends spans and metrics.', default: false }),
    endpoint: field(address, {
      about: 'The collector (OTLP over HTTP).',
      default: 'http://localhost:4318',
    }),
    serviceName: field(word('a name without blanks'), {
      about: 'The name spans are sent under.',
      default: 'throughline',
    }),
    sampleRatio: field(share, { about: 'Share of the runs that are traced.', default: 1 }),
    recordContent: field(flag, { about: 'Puts messages into spans.', default: false }),
  },
  'Spans and metrics.',
);
