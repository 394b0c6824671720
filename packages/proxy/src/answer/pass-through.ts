import { contextHeaders } from './context-headers.ts';
import { pipeline } from 'node:stream/promises';
import { readBodyAsItIs } from '../wire/read-body.ts';
import { requestHeaders } from '../forward/headers.ts';
import { sendBody } from './attempt.ts';
import { upstreamUrl } from '../forward/upstream.ts';
import { withExpandedTokens } from '../compaction/compaction-token.ts';
import type { Ask, ProxyParts, RouteCall } from './attempt.ts';
import type { OutgoingHttpHeaders } from 'node:http';

/** What is no question to a model goes through as it is, in both directions. */
export async function passThrough(
  { request, response, route, path, search, signal, meter }: RouteCall,
  { upstreams }: ProxyParts,
  more: OutgoingHttpHeaders = {},
): Promise<void> {
  const { method = 'GET', headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const sent = {
    ...requestHeaders(headers, route, false),
    // What is counted is not to be decoded first.
    ...(meter && { 'accept-encoding': 'identity' }),
  };
  const answered = await upstreams.send({
    url: upstreamUrl(route.upstream, path, search),
    method,
    headers:
      hasBody && headers['content-length'] ? { ...sent, 'content-length': headers['content-length'] } : sent,
    signal,
    meter,
    ...(hasBody && { body: request }),
  });
  response.writeHead(answered.status, { ...answered.headers, ...more });
  await pipeline(answered.body, response);
}

/**
 * A question whose client wants its context left alone. What we gave that client in the place of its history is expanded
 * all the same: nobody else can read it.
 */
export async function passUnmanaged(ask: Ask, parts: ProxyParts): Promise<void> {
  const { maxBodyBytes } = parts.options;
  const more = contextHeaders('off');
  const isLarge = Number(ask.request.headers['content-length'] ?? 0) > maxBodyBytes;
  if (ask.dialect.name !== 'responses' || isLarge) return await passThrough(ask, parts, more);
  const body = withExpandedTokens(await readBodyAsItIs(ask.request, maxBodyBytes));
  const answer = await sendBody(ask, body.bytes, parts, body.isRewritten === true ? 'edited' : 'untouched');
  ask.response.writeHead(answer.status, { ...answer.headers, ...more });
  await pipeline(answer.body, ask.response);
}
