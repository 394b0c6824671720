import { ContextError } from '@throughline/core';
import { Hono } from 'hono';
import { openSession } from '../services.ts';
import { RequestRefused } from '../problem-of.ts';
import { closedFrame, opening } from './event-frame.ts';
import { endOfAnswerBehind } from './run-end.ts';
import { eventHeaders, sendEvents } from './send-events.ts';
import { AllEventsStream, ToldEvents } from './all-events-stream.ts';
import type { EventStreams } from './event-streams.ts';
import type { ServerEnv } from '../server-env.ts';
import type { Services } from '../services.ts';
import type { CloseReason } from './event-frame.ts';
import type { EventFeed } from './event-feed.ts';

/**
 * `GET /api/sessions/:id/events`: every event of a session; behind a number, or from the first; for ever, or until a
 * message is answered.
 */
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
    const session = await openSession(services, c.get('caller'), req.param('id'));
    const { lastEventSeq } = await session.info();
    // Behind an event that is still to come nothing would be sent for a long time, and then not all.
    if (after > lastEventSeq)
      throw noNumber(
        resumed === undefined ? 'query.after' : 'header.last-event-id',
        `${after} is no event of this session: its last is ${lastEventSeq}.`,
      );
    const { id: sessionId } = session;
    const messageId = req.query('until');
    if (messageId === undefined) return sendEvents(c, (sink) => streams.add({ sessionId, after, sink }));
    const { journal, inbox } = services.agent.store;
    if (!(await inbox.item(sessionId, messageId))) throw noMessage(messageId);
    const isLast = await endOfAnswerBehind(journal, { sessionId, upTo: after, messageId });
    if (isLast === 'over')
      return c.body(Buffer.concat([opening, closedFrame('answered')]), 200, eventHeaders);
    return sendEvents(c, (sink) => streams.add({ sessionId, after, sink, isLast }));
  });
  return routes;
}

function noMessage(id: string): ContextError<'not-found'> {
  const shown = id.slice(0, 200).toWellFormed();
  return new ContextError('not-found', `No message ${shown} was sent to this session.`, {
    kind: 'message',
    id: shown,
    known: [],
  });
}

function numberAt(path: string, received: string | undefined): number | undefined {
  if (received === undefined || received === '') return undefined;
  const number = Number(received);
  if (/^\d+$/.test(received) && Number.isSafeInteger(number)) return number;
  throw noNumber(path, `${received.slice(0, 100)} is not the number of an event.`);
}

function noNumber(path: string, sentence: string): RequestRefused {
  const faults = [{ path, message: 'expected the number of an event' }];
  return new RequestRefused('bad-request', sentence, { faults });
}

interface AllEventsSetup {
  readonly feed: EventFeed;
  readonly heartbeatMs: number;
}

/** All readers of the events of all their sessions. */
interface AllEvents extends Disposable {
  readonly readerCount: number;
  readonly routes: Hono<ServerEnv>;
}

/** `GET /api/events`: every event of all sessions of the caller, from now on, or behind an id. */
export function createAllEvents(
  { agent }: Pick<Services, 'agent'>,
  { feed, heartbeatMs }: AllEventsSetup,
): AllEvents {
  const told = new ToldEvents();
  const streams = new Set<AllEventsStream>();
  const close = (reason: CloseReason): void => streams.forEach((stream) => stream.close(reason));
  const subscription = feed.subscribe((sessionId, event) => {
    told.take(sessionId, event);
    for (const stream of streams) stream.wake();
  });
  const ownerOf = async (sessionId: string): Promise<string | undefined> => {
    try {
      return (await agent.store.sessions.read(sessionId)).owner;
    } catch (error) {
      if (ContextError.is(error, 'not-found')) return undefined;
      throw error;
    }
  };
  let isStopped = false;
  const routes = new Hono<ServerEnv>().get('/api/events', (c) => {
    const { owner } = c.var.caller;
    const after = placeIn(told, c.req.header('last-event-id') ?? c.req.query('after') ?? '');
    return sendEvents(c, (sink) => {
      const onClose = (): void => void streams.delete(stream);
      const stream = new AllEventsStream({ told, feed, ownerOf, owner, after, sink, heartbeatMs, onClose });
      streams.add(stream);
      stream.start();
      if (isStopped) stream.close('server-stopping');
    });
  });
  return {
    routes,
    get readerCount() {
      return streams.size;
    },
    [Symbol.dispose]() {
      isStopped = true;
      subscription[Symbol.dispose]();
      close('server-stopping');
    },
  };
}

/** The number behind which a reader begins; `undefined` where nobody knows what he has missed. */
function placeIn(told: ToldEvents, id: string): number | undefined {
  if (id === '') return told.last;
  const number = told.read(id);
  if (number === 'foreign') return undefined;
  if (number !== undefined) return number;
  const faults = [{ path: 'header.last-event-id', message: 'expected the id of an event of this stream' }];
  throw new RequestRefused('bad-request', `${id.slice(0, 100)} is no id of this stream.`, { faults });
}
