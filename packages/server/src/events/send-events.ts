import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { nodeSink, webSink } from './byte-sink.ts';
import type { Context } from 'hono';
import type { ServerResponse } from 'node:http';
import type { EventStreams, ReaderRequest } from './event-streams.ts';

const eventHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies that would collect the answer before they hand it on.
  'x-accel-buffering': 'no',
};

/**
 * Answers with the events of a session. On Node they are written to the response itself, past hono: what guards have
 * set on the answer so far goes along, and what they would set afterwards does not.
 */
export function sendEvents(
  c: Context,
  streams: EventStreams,
  request: Omit<ReaderRequest, 'sink'>,
): Response {
  const headers = new Headers(c.res.headers);
  for (const [name, value] of Object.entries(eventHeaders)) headers.set(name, value);
  if (c.req.method === 'HEAD') return new Response(null, { headers });
  const outgoing = outgoingOf(c);
  if (!outgoing) {
    const { sink, body } = webSink();
    streams.add({ ...request, sink });
    return new Response(body, { headers });
  }
  outgoing.writeHead(200, [...headers].flat());
  streams.add({ ...request, sink: nodeSink(outgoing) });
  return RESPONSE_ALREADY_SENT;
}

/** The response of Node; there is none where another server hands requests to the app. */
function outgoingOf(c: Context): ServerResponse | undefined {
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse };
  return outgoing;
}
