import { Hono } from 'hono';
import { openSession } from '../services.ts';
import { RequestRefused } from '../problems/request-refused.ts';
import { sendEvents } from './send-events.ts';
import type { EventStreams } from './event-streams.ts';
import type { ServerEnv } from '../server-env.ts';
import type { Services } from '../services.ts';

/** `GET /api/sessions/:id/events`: every event of a session, for ever; behind a number, or from the first. */
export function eventRoutes(
  services: Pick<Services, 'agent'>,
  _: unknown,
  streams: EventStreams,
): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  routes.get('/api/sessions/:id/events', async (c) => {
    const { req } = c;
    // Who resumes sends the header, to the address he began with: the header is newer.
    const resumed = numberAt('header.last-event-id', req.header('last-event-id'));
    const after = resumed ?? numberAt('query.after', req.query('after')) ?? 0;
    const { id: sessionId } = await openSession(services, c.get('caller'), req.param('id'));
    return sendEvents(c, (sink) => streams.add({ sessionId, after, sink }));
  });
  return routes;
}

function numberAt(path: string, received: string | undefined): number | undefined {
  if (received === undefined || received === '') return undefined;
  const number = Number(received);
  if (/^\d+$/.test(received) && Number.isSafeInteger(number)) return number;
  throw new RequestRefused('bad-request', `${received.slice(0, 100)} is not the number of an event.`, {
    faults: [{ path, message: 'expected the number of an event' }],
  });
}
