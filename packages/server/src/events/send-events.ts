import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { nodeSink, webSink } from './byte-sink.ts';
import type { Context } from 'hono';
import type { ServerResponse } from 'node:http';
import type { ByteSink } from './byte-sink.ts';

const eventHeaders: Readonly<Record<string, string>> = {
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
  if (c.req.method === 'HEAD') return new Response(null, { headers: eventHeaders });
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse };
  if (!outgoing) {
    const { sink, body } = webSink();
    begin(sink);
    return new Response(body, { headers: eventHeaders });
  }
  // One of its own: guards set headers on it.
  const answer = RESPONSE_ALREADY_SENT.clone();
  for (const [name, value] of Object.entries(eventHeaders)) answer.headers.set(name, value);
  setImmediate(() => {
    const headers = new Headers(c.res.headers);
    // A guard may have refused after all, and the reader may be gone.
    if (!headers.has(sentMarker) || outgoing.headersSent || outgoing.closed) return;
    headers.delete(sentMarker);
    outgoing.writeHead(200, Object.fromEntries(headers));
    begin(nodeSink(outgoing));
  });
  return answer;
}
