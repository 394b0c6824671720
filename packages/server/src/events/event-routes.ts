import { ContextError } from '@throughline/core';
import { Hono } from 'hono';
import { openSession } from '../services.ts';
import { sendEvents } from './send-events.ts';
import type { Caller, Services } from '../services.ts';
import type { EventStreams } from './event-streams.ts';

/** What the routes of events need of their context. */
interface EventEnv {
  Variables: { caller: Caller };
}

/** `GET /api/sessions/:id/events`: every event of a session, for ever; behind a number, or from the first. */
export function eventRoutes(services: Pick<Services, 'agent'>, streams: EventStreams): Hono<EventEnv> {
  const routes = new Hono<EventEnv>();
  routes.get('/api/sessions/:id/events', async (c) => {
    const after = numberOf('Last-Event-ID', c.req.header('last-event-id')) ?? numberOf('after', c.req.query('after'));
    const { id } = await openSession(services, c.get('caller'), c.req.param('id'));
    return sendEvents(c, streams, { sessionId: id, after: after ?? 0 });
  });
  return routes;
}

/** Who resumes sends the header, with the address he began with: the header is newer. */
function numberOf(option: string, received: string | undefined): number | undefined {
  if (received === undefined || received === '') return undefined;
  const number = Number(received);
  if (/^\d+$/.test(received) && Number.isSafeInteger(number)) return number;
  const expected = 'the number of an event';
  throw new ContextError('invalid-option', `Cannot send events: ${option} must be ${expected}.`, {
    option,
    expected,
    received,
  });
}
