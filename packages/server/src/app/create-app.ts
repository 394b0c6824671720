import { agentFeed } from '../events/event-feed.ts';
import { answerProblem } from '../problems/answer-problem.ts';
import { createEventStreams } from '../events/event-streams.ts';
import { guardsOf } from '../security/guards.ts';
import { Hono } from 'hono';
import { RequestRefused } from '../problems/request-refused.ts';
import { routeGroups } from './route-groups.ts';
import type { ServerEnv } from '../server-env.ts';
import type { ServerSetup } from '../server-options.ts';
import type { Services } from '../services.ts';

/** All that is served, behind its guards. It does not listen: `createServer` does. */
export function createApp(services: Services, setup: ServerSetup, stopping: AbortSignal): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  app.onError((error) => answerProblem(error, setup.onFault));
  app.notFound(({ req }) =>
    answerProblem(
      new RequestRefused('not-found', `Nothing is served at ${req.method} ${req.path}.`, {
        data: { kind: 'route', id: req.path },
      }),
      setup.onFault,
    ),
  );
  for (const guard of guardsOf(setup, stopping)) app.use(guard);
  const { heartbeatMs } = setup;
  const streams = createEventStreams({ feed: agentFeed(services.agent), heartbeatMs });
  stopping.addEventListener('abort', () => streams[Symbol.dispose](), { once: true });
  for (const routesOf of routeGroups) app.route('/', routesOf(services, setup, streams));
  return app;
}
