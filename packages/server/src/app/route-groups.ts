import { apiRoutes, otherMethods } from '../api/api-routes.ts';
import { compatibleRoutes } from '../compatible/compatible-routes.ts';
import { errorsPage } from '../routes/errors-page.ts';
import { eventRoutes } from '../events/event-routes.ts';
import { landingRoutes } from '../routes/landing-routes.ts';
import { uiStreamRoutes } from '../ui-stream/ui-stream-routes.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { Hono } from 'hono';
import type { ServerEnv } from '../server-env.ts';
import type { ServerSetup } from '../server-options.ts';
import type { OpenedServices } from '../settings/open-settings.ts';

/** Routes that belong together. They find the caller in their context. */
export type RouteGroup = (
  services: OpenedServices,
  setup: ServerSetup,
  /** Everybody to whom this server sends events. */
  streams: EventStreams,
) => Hono<ServerEnv>;

/** Every group of routes, with full paths of their own. The first that has a path answers. */
export const routeGroups: readonly RouteGroup[] = [
  landingRoutes,
  errorsPage,
  eventRoutes,
  (services) => uiStreamRoutes(services),
  (services) => compatibleRoutes(services),
  apiRoutes,
  // The last: what is served, and not by this method.
  otherMethods,
];
