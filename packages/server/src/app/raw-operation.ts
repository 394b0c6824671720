import { answersInTime } from '../operation/operation-routes.ts';
import { callerCheck } from '../security/access-tokens.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerMetrics } from '../operation/server-metrics.ts';
import type { ServerSetup } from '../server-options.ts';

interface Said {
  readonly status: number;
  readonly type?: string;
  readonly text: string;
}

const json = (status: number, value: object): Said => ({ status, text: JSON.stringify(value) });

interface RawOperationOptions {
  readonly refusing: AbortSignal;
  readonly metrics: ServerMetrics | undefined;
  readonly askStore: (() => Promise<unknown>) | undefined;
}

/** What a server says of itself that has no API: that it lives, whether it takes requests, and its numbers. */
export function rawOperation(
  setup: Pick<ServerSetup, 'tokens' | 'metricsOwners' | 'readyTimeoutMs'>,
  { refusing, metrics, askStore }: RawOperationOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const callerOf = callerCheck(setup.tokens);
  const readers = new Set(['', ...setup.metricsOwners]);
  const numbers = async ({ headers }: IncomingMessage): Promise<Said> => {
    const apiKey = headers['x-api-key'];
    const { authorization } = headers;
    const caller = callerOf({ authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined });
    if (!metrics) return nothing;
    if (!caller || !readers.has(caller.owner)) return json(401, { title: 'Show a token of this server.' });
    return { status: 200, type: metrics.contentType, text: await metrics.text() };
  };
  const ready = async (): Promise<Said> => {
    if (refusing.aborted) return json(503, { ready: false });
    if (!askStore) return json(200, { ready: true });
    // Requests are answered without it: a balancer that took all of these processes away would make it worse.
    const store = await answersInTime(askStore, setup.readyTimeoutMs).then(
      () => 'ok',
      () => 'failed',
    );
    return json(200, { ready: true, store });
  };
  const routes: Readonly<Record<string, (request: IncomingMessage) => Said | Promise<Said>>> = {
    '/health': () => json(200, { ok: true, name: 'throughline' }),
    '/ready': ready,
    '/metrics': numbers,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const path = request.url?.split('?', 1)[0] ?? '';
    const { status, type = 'application/json', text } = (await routes[path]?.(request)) ?? nothing;
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
  return (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
}

const nothing = json(404, { title: 'Nothing is served here.' });
