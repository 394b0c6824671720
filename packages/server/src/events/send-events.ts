import { nodeSink, webSink } from './byte-sink.ts';
import type { Context } from 'hono';
import type { ServerResponse } from 'node:http';
import type { ByteSink } from './byte-sink.ts';

export const eventHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies that would collect the answer before they hand it on.
  'x-accel-buffering': 'no',
};

/** What tells the server of hono that somebody else writes the answer. */
const sentMarker = 'x-hono-already-sent';

/**
 * Answers with a stream of events.
 *
 * On Node they are written to the response itself, past the web streams that every byte would go through otherwise. Its
 * head is written when all guards are done, with what they have set.
 *
 * @param begin called with where the events go
 */
export function sendEvents(c: Context, begin: (sink: ByteSink) => void): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, eventHeaders);
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse };
  if (!outgoing) {
    const { sink, body } = webSink();
    begin(sink);
    return c.body(body, 200, eventHeaders);
  }
  setImmediate(() => {
    const headers = new Headers(c.res.headers);
    // A guard may have refused after all, and the reader may be gone.
    if (!headers.has(sentMarker) || outgoing.headersSent || outgoing.closed) return;
    headers.delete(sentMarker);
    outgoing.writeHead(200, Object.fromEntries(headers));
    begin(nodeSink(outgoing));
  });
  // Not the one that hono has ready for this, which all would share: guards set headers on it.
  return c.body(null, 200, { ...eventHeaders, [sentMarker]: 'true' });
}
