import { ContextError } from '@throughline/core';
import { Hono } from 'hono';
import { AllEventsStream } from './all-events-stream.ts';
import { RequestRefused } from '../problems/request-refused.ts';
import { sendEvents } from './send-events.ts';
import { ToldEvents } from './told-events.ts';
import type { CloseReason } from './event-frame.ts';
import type { EventFeed } from './event-feed.ts';
import type { ServerEnv } from '../server-env.ts';
import type { Services } from '../services.ts';

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
