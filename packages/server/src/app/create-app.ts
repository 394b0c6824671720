import { agentFeed } from '../events/event-feed.ts';
import { answerProblem, RequestRefused } from '../problem-of.ts';
import { apiRoutes, otherMethods } from '../api/api-routes.ts';
import { compatibleRoutes } from '../compatible/compatible-routes.ts';
import { createAllEvents, eventRoutes } from '../events/event-routes.ts';
import { createEventStreams } from '../events/event-streams.ts';
import { createServerMetrics } from '../operation/server-metrics.ts';
import { errorsPage, landingRoutes } from '../routes/landing-routes.ts';
import { guardsOf } from '../security/guards.ts';
import { Hono } from 'hono';
import { observeRequests } from '../operation/observe-requests.ts';
import { operationRoutes } from '../operation/operation-routes.ts';
import { providerError, shapeAt } from '../compatible/provider-error.ts';
import { uiStreamRoutes } from '../ui-stream/ui-stream-routes.ts';
import type { ServerContext, ServerEnd, ServerEnv } from '../server-env.ts';
import type { ServerMetrics } from '../operation/server-metrics.ts';
import type { ServerSetup } from '../server-options.ts';
import type { OpenedServices } from '../settings/open-settings.ts';
import type { EventStreams } from '../events/event-streams.ts';

interface ServedApp {
  readonly app: Hono<ServerEnv>;
  readonly metrics: ServerMetrics | undefined;
}

/** All that is served, behind its guards. It does not listen: `createServer` does. */
export function createApp(services: OpenedServices, setup: ServerSetup, end: ServerEnd): ServedApp {
  const { agent } = services;
  const feed = agentFeed(agent);
  const { heartbeatMs } = setup;
  const streams = createEventStreams({ feed, heartbeatMs });
  const allEvents = createAllEvents(services, { feed, heartbeatMs });
  const { version, nodeName } = setup;
  const readers = (): number => streams.readerCount + allEvents.readerCount;
  const metrics = setup.metrics ? createServerMetrics({ agent, readers, version, nodeName }) : undefined;
  const endStreams = (): void => {
    streams[Symbol.dispose]();
    allEvents[Symbol.dispose]();
  };
  end.refusing.addEventListener('abort', endStreams, { once: true });
  end.stopping.addEventListener('abort', () => metrics?.[Symbol.dispose](), { once: true });
  const onFault = (error: unknown): void => {
    metrics?.fault(error);
    setup.onFault(error);
  };
  const app = new Hono<ServerEnv>();
  const answerError = (error: unknown, { req }: ServerContext): Response => {
    const shape = shapeAt({ path: req.path, isAnthropic: req.header('anthropic-version') !== undefined });
    return shape ? providerError(shape, error, onFault) : answerProblem(error, onFault);
  };
  app.onError(answerError);
  app.notFound((context) => {
    const { method, path } = context.req;
    const data = { kind: 'route', id: path };
    const refused = new RequestRefused('not-found', `Nothing is served at ${method} ${path}.`, { data });
    return answerError(refused, context);
  });
  app.use(observeRequests({ log: setup.log, metrics }));
  for (const guard of guardsOf(setup, end)) app.use(guard);
  app.route('/', operationRoutes(services, setup, metrics));
  app.route('/', allEvents.routes);
  for (const routesOf of routeGroups) app.route('/', routesOf(services, setup, streams));
  return { app, metrics };
}

/** Routes that belong together. They find the caller in their context. */
type RouteGroup = (
  services: OpenedServices,
  setup: ServerSetup,
  /** Everybody to whom this server sends events. */
  streams: EventStreams,
) => Hono<ServerEnv>;

/** Every group of routes, with full paths of their own. The first that has a path answers. */
const routeGroups: readonly RouteGroup[] = [
  landingRoutes,
  errorsPage,
  eventRoutes,
  (services) => uiStreamRoutes(services),
  (services) => compatibleRoutes(services),
  apiRoutes,
  // The last: what is served, and not by this method.
  otherMethods,
];
