import { createServer as createHttpServer } from 'node:http';
import { agentAddress } from './agent-address.ts';
import { answerProblem, newProblem, RequestRefused } from '../problem-of.ts';
import { createApp } from './create-app.ts';
import { faultOfProblem, shapeAt } from '../compatible/provider-error.ts';
import { getRequestListener } from '@hono/node-server';
import { once } from 'node:events';
import { createServerMetrics } from '../operation/server-metrics.ts';
import { openSettings } from '../settings/open-settings.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { setupOf } from '../server-options.ts';
import type { Duplex } from 'node:stream';
import type { Problem, ProblemCode } from '@throughline/protocol';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { RawRoutes, ServerLimits, ServerOptions, ServerSetup } from '../server-options.ts';
import type { ServerMetrics } from '../operation/server-metrics.ts';
import type { ServerEnd } from '../server-env.ts';
import type { Services } from '../services.ts';

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  readonly address: ServerAddress;
  /** Refuses new requests, `/ready` too, and ends streams of events with a reason. What is being answered goes on. */
  refuse(): void;
  /**
   * Takes no new requests, tells streams to end, waits for what is being answered, and closes. Runs go on: whoever made
   * the agent ends them. A second call waits for the first.
   */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /**
   * Goes on refusing until nobody has asked or got an answer for so long, at most eight times as long: whoever asks at
   * that moment gets an answer, and not a closed connection. @default 0
   */
  readonly quietMs?: number;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** As people type it: `http://127.0.0.1:4100`. */
  readonly url: string;
}

/**
 * Listens, and serves the API and all that is beside it. Resolves when requests are answered.
 *
 * @throws {ContextError} `invalid-option` where others could reach it and no token is asked for.
 * @throws the system's own error where it cannot listen, such as `EADDRINUSE`.
 */
export async function createServer(services: Services, options: ServerOptions = {}): Promise<RunningServer> {
  const setup = setupOf(options);
  const settings = await openSettings(services, setup.log);
  return await listen(setup, options.raw, (end) => {
    end.stopping.addEventListener('abort', () => settings[Symbol.dispose](), { once: true });
    const { app, metrics } = createApp({ ...services, settings }, setup, end);
    const listener = getRequestListener(app.fetch, {
      overrideGlobalObjects: false,
      // What has no address that can be read never reaches the app.
      errorHandler: () => answerProblem(new RequestRefused('bad-request', unreadable), setup.onFault),
    });
    return { answer: (request, response) => void listener(request, response), metrics };
  });
}

export interface RawServerOptions extends ServerOptions {
  /** Asks the store that the routes use; rejects where it fails. @default there is none */
  readonly askStore?: () => Promise<unknown>;
}

/**
 * Listens, and serves raw routes alone; beside them it says at `/health` that it lives, at `/ready` whether it takes requests
 * and, as `store`, whether the store answers (`ok`, `failed`), and at `/metrics` its numbers. A store that fails leaves
 * it ready: such routes answer without one.
 *
 * @throws as `createServer`.
 */
export async function createRawServer(
  raw: RawRoutes,
  { askStore, ...options }: RawServerOptions = {},
): Promise<RunningServer> {
  const setup = setupOf(options);
  const { rawOperation } = await import('./raw-operation.ts');
  return await listen(setup, raw, ({ refusing, stopping }) => {
    const { version, nodeName } = setup;
    const metrics = setup.metrics ? createServerMetrics({ readers: () => 0, version, nodeName }) : undefined;
    stopping.addEventListener('abort', () => metrics?.[Symbol.dispose](), { once: true });
    return { answer: rawOperation(setup, { refusing, metrics, askStore }), metrics };
  });
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Served {
  readonly answer: Answer;
  readonly metrics: ServerMetrics | undefined;
}

async function listen(
  setup: ServerSetup,
  routes: RawRoutes | undefined,
  serve: (end: ServerEnd) => Served,
): Promise<RunningServer> {
  const refusing = new AbortController();
  const stopping = new AbortController();
  const { answer, metrics } = serve({ refusing: refusing.signal, stopping: stopping.signal });
  // Whoever serves without such routes does not load what guards them.
  const raw =
    routes &&
    (await import('./raw-listener.ts')).rawListener(routes, setup, { refusing: refusing.signal, metrics });
  const ownAddress = agentAddress(setup.agentRoutes);
  const { limits } = setup;
  const server = createHttpServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: 1_000,
      // Programs that only offer to speak HTTP/2 are answered as if they had not.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => {
      request.url = ownAddress(request.url ?? '/');
      if (raw?.(request, response) !== true) answer(request, response);
    },
  );
  // Nobody here speaks another protocol; a client that is told so at once goes on with HTTP.
  server.on('upgrade', (_request, socket) => refuseUpgrade(socket));
  const exchanges = watchExchanges(server);
  server.on('clientError', (error, socket) => answerBrokenRequest(error, socket, exchanges(socket)));
  const arrivals = limitRequests(server, limits);
  server.listen({ host: setup.host, port: setup.port });
  await once(server, 'listening');
  const refuse = (): void => refusing.abort('shutting-down');
  let stopped: Promise<void> | undefined;
  const stop = ({ quietMs = 0 }: StopOptions = {}): Promise<void> => {
    refuse();
    stopping.abort('shutting-down');
    return (stopped ??= untilQuiet(arrivals, quietMs).then(() =>
      closeServer(server, arrivals, limits.stopGraceMs),
    ));
  };
  return { address: addressOf(server, setup.host), refuse, stop, [Symbol.asyncDispose]: () => stop() };
}

function addressOf(server: Server, host: string): ServerAddress {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { host, port, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` };
}

function refuseUpgrade(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
}

/** A request, and the answer to it that has not gone out. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What is being answered on each connection. */
function watchExchanges(server: Server): (socket: Duplex) => Iterable<Exchange> {
  const open = new WeakMap<Duplex, Set<Exchange>>();
  server.on('request', (request, response) => {
    const exchanges = open.get(request.socket) ?? new Set();
    open.set(request.socket, exchanges);
    const exchange = { request, response };
    exchanges.add(exchange);
    response.once('close', () => exchanges.delete(exchange));
  });
  return (socket) => open.get(socket) ?? [];
}

/** When somebody has asked, or got an answer, last. */
interface Arrivals {
  readonly lastMs: number;
  /** Requests whose answers are not on their way as a whole. */
  readonly openCount: number;
}

/** Beyond the limit each request is told so, whoever it is from; those that are being answered are not touched. */
function limitRequests(server: Server, { maxOpenRequests }: ServerLimits): Arrivals {
  const arrivals = { lastMs: -Infinity, openCount: 0 };
  const [serve] = server.listeners('request') as [(...args: readonly unknown[]) => void];
  server.removeListener('request', serve);
  server.on('request', (request, response) => {
    arrivals.lastMs = performance.now();
    if (arrivals.openCount >= maxOpenRequests) {
      const problem = newProblem('too-many-requests', `${maxOpenRequests} requests are being answered.`);
      const { contentType, body } = bodyOf(problem, request);
      response.writeHead(problem.status, {
        'content-type': contentType,
        'retry-after': '1',
        'x-should-retry': 'true',
        connection: 'close',
      });
      response.end(JSON.stringify(body));
      return;
    }
    arrivals.openCount += 1;
    response.once('close', () => {
      arrivals.openCount -= 1;
      arrivals.lastMs = performance.now();
    });
    serve(request, response);
  });
  return arrivals;
}

async function untilQuiet(arrivals: Arrivals, quietMs: number): Promise<void> {
  const endMs = performance.now() + 8 * quietMs;
  for (;;) {
    const nowMs = performance.now();
    const leftMs = Math.min(endMs, arrivals.lastMs + quietMs) - nowMs;
    if (leftMs <= 0) return;
    await sleep(leftMs);
  }
}

function bodyOf(
  problem: Problem,
  { url = '', headers }: IncomingMessage,
): { readonly contentType: string; readonly body: object } {
  const path = url.split('?', 1)[0] ?? '';
  const shape = shapeAt({ path, isAnthropic: headers['anthropic-version'] !== undefined });
  if (!shape) return { contentType: 'application/problem+json', body: problem };
  return { contentType: 'application/json', body: shape.fault(faultOfProblem(problem)) };
}

const unreadable = 'This is no request that can be read.';

const codeOfBroken: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/**
 * What is no HTTP never reaches a route. Where something else is being answered nothing is said: it would stand in the
 * middle of that answer, or be taken for it.
 */
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  exchanges: Iterable<Exchange>,
): void {
  const isAnswering = [...exchanges].some(
    ({ request, response }) => request.complete || response.headersSent,
  );
  if (isAnswering || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const code = codeOfBroken[error.code ?? ''] ?? 'bad-request';
  const problem = newProblem(code, unreadable);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const lookAgainMs = 50;
// Somebody whose request is on its way has sent it by then.
const unaskedMs = 1_000;

/**
 * Resolves when the last connection is closed; those that are busy for longer than `graceMs` are cut. Node takes a
 * connection for idle as soon as its answer has ended, also where the bytes have not gone out (`closeIdleConnections`
 * asks for `finished`), so it is not asked before all of them have.
 */
async function closeServer(server: Server, arrivals: Arrivals, graceMs: number): Promise<void> {
  const endMs = performance.now() + graceMs;
  while (arrivals.openCount > 0 && performance.now() < endMs) await sleep(lookAgainMs);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  let askedMs = performance.now();
  // Clients keep connections open between their requests. One on which nothing was asked yet is none of Node's idle ones.
  const idle = setInterval(() => {
    if (arrivals.openCount > 0) askedMs = performance.now();
    if (performance.now() - askedMs > unaskedMs) server.closeAllConnections();
    else server.closeIdleConnections();
  }, lookAgainMs);
  const late = setTimeout(() => server.closeAllConnections(), Math.max(0, endMs - performance.now()));
  try {
    await closed;
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}
