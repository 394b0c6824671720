import { randomUUID } from 'node:crypto';
import { routePath } from 'hono/route';
import type { MiddlewareHandler } from 'hono';
import type { ServerContext, ServerEnv } from '../server-env.ts';
import type { ServerLog } from '../server-log.ts';
import type { ServerMetrics } from './server-metrics.ts';

interface RequestObserver {
  readonly log: ServerLog;
  readonly metrics: ServerMetrics | undefined;
  /** Milliseconds of a clock that only goes forward. @default the machine's */
  readonly nowMs?: () => number;
}

/**
 * Gives each request an id that its answer carries, counts it, and writes one line of it when its answer is over. Of
 * what was asked there is the pattern of the route, and nothing that somebody has written.
 */
export function observeRequests({
  log,
  metrics,
  nowMs = () => performance.now(),
}: RequestObserver): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const begunMs = nowMs();
    const counted = metrics?.begin();
    const id = requestIdOf(context.req.header('x-request-id'));
    context.set('requestId', id);
    const outgoing = outgoingOf(context);
    let route = unmatched;
    let isStream = false;
    const end = (status: number): void => {
      const { method } = context.req;
      const durationMs = Math.round((nowMs() - begunMs) * 10) / 10;
      counted?.end({ method: methodLabel(method), route, status, durationMs, isStream });
      const owner = context.var.caller?.owner ?? '';
      const line = { id, method, route, status, durationMs, ...(owner !== '' && { owner }) };
      log[levelOf(route, status)](line, 'A request was answered');
    };
    // Whoever asked may leave before there is an answer.
    outgoing?.once('close', () => end(outgoing.headersSent ? outgoing.statusCode : leftStatus));
    await next();
    route = patternOf(context);
    isStream = isEventStream(context);
    if (isStream && outgoing?.closed === false) counted?.streams();
    context.res.headers.set('x-request-id', id);
    if (!outgoing) end(context.res.status);
  };
}

const unmatched = 'none';
/** Nobody was there any more to get an answer: nginx writes the same. */
const leftStatus = 499;

/** One that can stand in a log and a header as it is. */
const saneId = /^[\w.:=+/-]{1,128}$/;

function requestIdOf(given: string | undefined): string {
  return given !== undefined && saneId.test(given) ? given : randomUUID();
}

function outgoingOf({ env }: ServerContext): ServerEnv['Bindings']['outgoing'] | undefined {
  // Called without a socket there is none.
  return (env as Partial<ServerEnv['Bindings']> | undefined)?.outgoing;
}

/** The pattern of the route that answered: the place in the list of handlers stays where the last one was called. */
function patternOf(context: ServerContext): string {
  const pattern = routePath(context);
  return pattern === '' || pattern.endsWith('*') ? unmatched : pattern;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function methodLabel(method: string): string {
  return methods.has(method) ? method : 'other';
}

function isEventStream({ res }: ServerContext): boolean {
  return res.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** What is asked for every few seconds by machines. */
const probes: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

function levelOf(route: string, status: number): keyof ServerLog {
  if (status >= 500) return 'warn';
  return probes.has(route) ? 'debug' : 'info';
}
