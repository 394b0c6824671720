import { answerAsk } from './answer/answer-ask.ts';
import { CountingUpstreams } from './forward/counting-upstreams.ts';
import { ContextManager } from './manage/context-manager.ts';
import { ConversationIndex } from './identity/conversation-index.ts';
import { KnownBodies } from './wire/known-bodies.ts';
import { KnownCompactions } from './compaction/known-compactions.ts';
import { dialectAt } from './wire/dialect.ts';
import { passThrough, passUnmanaged } from './answer/pass-through.ts';
import { faultOf, ProxyFault } from './wire/proxy-fault.ts';
import { sideCallAt } from './side/side-call.ts';
import { leadsBehindRoute, Upstreams } from './forward/upstream.ts';
import { policyFor, reportOf } from './reports/route-reports.ts';
import { pruneStore } from './state/prune-store.ts';
import { StoreGuard } from './state/store-guard.ts';
import { TokenMeter } from './forward/token-meter.ts';
import { Traffic } from './state/traffic.ts';
import { Windows } from './limits/windows.ts';
import type { Policy } from '@throughline/core';
import type { RouteReport, Spoken } from './reports/route-reports.ts';
import type { Dialect } from './wire/dialect.ts';
import type { DialectName } from './stream/dialect-streams.ts';
import type { ProxiedRequest, ProxyParts, RouteCall } from './answer/attempt.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyOptions, ProxyRoute, ProxyServices } from './options/proxy-options.ts';

/** Upstreams behind routes. */
export interface Proxy extends AsyncDisposable {
  /** Answers one request, whatever comes of it. Never rejects. */
  handle(asked: ProxiedRequest): Promise<void>;
  /** What is configured, and what went through since it was made. */
  routes(): readonly RouteReport[];
  /** The policy for a conversation of a route; `undefined` where there is no such route. */
  policyFor(spoken: Spoken): Policy | undefined;
}

const usualKeep = { days: 30, maxBytes: 1_000_000_000 };

export function createProxy(given: ProxyServices, { routes, ...options }: ProxyOptions): Proxy {
  const services = careful(given);
  const byName = new Map(routes.map((route) => [route.name, route]));
  const index = new ConversationIndex();
  const guard = services.store && new StoreGuard(services.store, services);
  const parts: ProxyParts = {
    services,
    upstreams: new Upstreams(),
    windows: new Windows(services, guard),
    counting: new CountingUpstreams(),
    bodies: new KnownBodies(),
    compactions: new KnownCompactions(),
    manager: new ContextManager(index, services, guard),
    traffic: new Traffic(),
    options: { keep: usualKeep, maxBodyBytes: 32_000_000, holdHeadMs: 15_000, pingMs: 10_000, ...options },
  };
  const pruning = guard && pruneStore(guard, services, parts.options.keep);
  // A clock that cannot be read is no reason not to begin.
  const begunMs = performance.now();
  const sinceMs = (): number => Math.round(services.clock.nowMs() - (performance.now() - begunMs));
  return {
    handle: (asked) => handle(asked, byName, parts),
    routes: () => routes.map((route) => reportOf(route, parts, sinceMs())),
    policyFor: (spoken) => {
      const route = byName.get(spoken.route);
      return route && policyFor(route, spoken, parts);
    },
    [Symbol.asyncDispose]: async () => {
      index[Symbol.dispose]();
      await parts.manager[Symbol.asyncDispose]();
      await pruning?.[Symbol.asyncDispose]();
      await parts.upstreams[Symbol.asyncDispose]();
      await services.quota?.stored();
    },
  };
}

/** What an error says is more than what it may say to us: who cannot read it leaves it as it is. */
function careful(services: ProxyServices): ProxyServices {
  return {
    ...services,
    readOverflow: (said) => {
      try {
        return services.readOverflow(said);
      } catch (error) {
        services.log?.warn({ error: String(error) }, 'An error of an upstream cannot be read');
        return undefined;
      }
    },
  };
}

async function handle(
  asked: ProxiedRequest,
  routes: ReadonlyMap<string, ProxyRoute>,
  parts: ProxyParts,
): Promise<void> {
  const { request, response, routeName, path } = asked;
  // Whoever joins an address that ends in a slash and a path asks for `//v1/…`.
  const place = path.replace(/\/{2,}/g, '/').replace(/^(?:\/v\d+(?:beta)?)+(?=\/)/, '');
  const dialect = dialectAt(place);
  const gone = new AbortController();
  // The upstream call of a client that has gone is ended, whatever is waited for.
  response.once('close', () => {
    if (!response.writableFinished) gone.abort('the client has gone');
  });
  try {
    const route = routes.get(routeName);
    if (!route) throw noRoute(routeName, routes);
    if (!leadsBehindRoute(path)) throw new ProxyFault('bad-address', 'The address leads beside its route.');
    using meter = await meterOf(asked, parts);
    await answer({ ...asked, route, signal: gone.signal, meter }, { dialect, place }, parts);
  } catch (error) {
    if (gone.signal.aborted) return;
    refuse(response, error, dialect?.name ?? shapeOf(request), parts);
  }
}

/**
 * What is counted of a request: of whoever has a quota, all but what is only looked at.
 *
 * @throws {ProxyFault} `quota-exceeded` where nothing is left
 */
async function meterOf(
  { request, owner }: ProxiedRequest,
  { services: { quota } }: ProxyParts,
): Promise<TokenMeter | undefined> {
  if (!quota?.counts(owner) || request.method === 'GET' || request.method === 'HEAD') return undefined;
  const refusal = await quota.refusalOf(owner);
  if (!refusal) return new TokenMeter(quota, owner);
  const { retryAfterMs } = refusal.details;
  throw new ProxyFault('quota-exceeded', refusal.message, retryAfterMs === null ? {} : { retryAfterMs });
}

interface RequestedApi {
  /** Behind the version. */
  readonly place: string;
  readonly dialect: Dialect | undefined;
}

async function answer(call: RouteCall, { dialect, place }: RequestedApi, parts: ProxyParts): Promise<void> {
  const { method, headers } = call.request;
  const asked = dialect && method === 'POST' ? dialect : undefined;
  if (asked) parts.traffic.asked(call.route.name, asked.name);
  if (call.route.isManaged === false) return await passThrough(call, parts);
  if (asked && headers['x-context'] === 'off') return await passUnmanaged({ ...call, dialect: asked }, parts);
  if (asked) return await answerAsk({ ...call, dialect: asked }, parts);
  const answerSideCall = sideCallAt(method, place, call.route);
  await (answerSideCall ? answerSideCall(call, parts) : passThrough(call, parts));
}

function noRoute(name: string, routes: ReadonlyMap<string, ProxyRoute>): ProxyFault {
  const known = [...routes.keys()].join(', ');
  return new ProxyFault(
    'no-such-route',
    `There is no route ${JSON.stringify(name)} here. There are: ${known}.`,
  );
}

/** In whose words an error is told where the path does not say it. */
function shapeOf({ headers }: IncomingMessage): DialectName {
  return headers['anthropic-version'] === undefined ? 'chat' : 'messages';
}

function refuse(
  response: ServerResponse,
  error: unknown,
  dialect: DialectName,
  { services }: ProxyParts,
): void {
  if (response.headersSent) {
    // What is on its way cannot be taken back: a connection that breaks says that it is not whole.
    response.destroy();
    return;
  }
  const fault = faultOf(error, services.log);
  const body = JSON.stringify(fault.body(dialect));
  if (fault.retryAfterMs !== undefined)
    response.setHeader('retry-after', Math.ceil(fault.retryAfterMs / 1_000));
  response.writeHead(fault.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
