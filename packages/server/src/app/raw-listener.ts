import { anyHeadersFor, corsMethods, hostCheck, judgeOrigin } from '../security/allowed-origins.ts';
import { callerCheck } from '../security/access-tokens.ts';
import { newProblem } from '../problem-of.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RawDone, RawRoutes, ServerSetup } from '../server-options.ts';
import type { ProblemCode } from '@throughline/protocol';
import type { ServerMetrics } from '../operation/server-metrics.ts';

/** Where a caller shows a token of this server when the usual places hold another key. */
export const tokenHeader = 'x-throughline-token';

type RawListener = (request: IncomingMessage, response: ServerResponse) => void;

interface RawEnd {
  readonly refusing: AbortSignal;
  readonly metrics: ServerMetrics | undefined;
}

/** Answers the requests of raw routes behind the same guards as all others; `false` where the path is none of theirs. */
export function rawListener(
  routes: RawRoutes,
  setup: ServerSetup,
  { refusing, metrics }: RawEnd,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const refusalOf = rawGuard(routes, setup, refusing);
  const listener: RawListener = (request, response) => {
    const { path, search } = addressIn(request);
    const verdict = refusalOf(request, path);
    if (verdict.origin !== undefined) letRead(response, verdict.origin);
    if (verdict.type === 'refused') {
      refuse(request, response, verdict);
      return;
    }
    if (verdict.type === 'preflight') {
      allow(request, response);
      return;
    }
    // Whoever hands bytes on watches both ends; so many listeners are no leak.
    response.setMaxListeners(30);
    let done: RawDone = { action: 'none', savedTokens: 0 };
    const startedAtMs = performance.now();
    response.once('close', () => {
      const { statusCode: status } = response;
      const durationMs = Math.round(performance.now() - startedAtMs);
      setup.log.info({ method: request.method, path, status, durationMs }, 'A request was proxied');
      metrics?.proxied({ route: routes.nameOf(path), status, ...done });
    });
    const onDone = (what: RawDone): void => void (done = what);
    routes.handle({ request, response, path, search, owner: verdict.owner, onDone }).catch(setup.onFault);
  };
  return (request, response) => {
    if (!routes.owns(addressIn(request).path)) return false;
    listener(request, response);
    return true;
  };
}

function addressIn({ url = '/' }: IncomingMessage): { readonly path: string; readonly search: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark) };
}

interface Asked {
  /** A page of this origin may read the answer. */
  readonly origin?: string;
}

type Verdict = Asked &
  (
    | { readonly type: 'caller'; readonly owner: string }
    /** A browser asks what a page of an allowed origin may send. */
    | { readonly type: 'preflight' }
    | { readonly type: 'refused'; readonly code: ProblemCode; readonly message: string }
  );

function rawGuard(
  routes: RawRoutes,
  setup: ServerSetup,
  refusing: AbortSignal,
): (request: IncomingMessage, path: string) => Verdict {
  const isAllowedHost = hostCheck(setup);
  const callerOf = callerCheck(setup.tokens);
  return ({ headers, method = 'GET' }, path) => {
    if (refusing.aborted)
      return refused('shutting-down', 'The server is shutting down. Try again in a moment.');
    if (!isAllowedHost(headers.host))
      return refused(
        'forbidden-host',
        'This server is not addressed by this name: see `server.allowedHosts`.',
      );
    const { host = '', origin } = headers;
    const fetchSite = textOf(headers['sec-fetch-site']);
    const fetchMode = textOf(headers['sec-fetch-mode']);
    const page = judgeOrigin({ method, host, origin, fetchSite, fetchMode }, setup.allowedOrigins);
    if (page.type === 'foreign')
      return refused('forbidden-origin', 'A page of another origin asks: see `server.allowedOrigins`.');
    const asked = page.type === 'allowed' ? { origin: page.origin } : {};
    if (page.type === 'allowed' && method === 'OPTIONS') return { type: 'preflight', ...asked };
    const own = textOf(headers[tokenHeader]);
    const usual = { authorization: headers.authorization, apiKey: textOf(headers['x-api-key']) };
    const shown = own === undefined && routes.takesUsualCredentials(path) ? usual : bearer(own);
    const caller = callerOf(shown);
    return caller
      ? { type: 'caller', owner: caller.owner, ...asked }
      : { ...refused('unauthorized', `Show a token of this server in the header ${tokenHeader}.`), ...asked };
  };
}

function bearer(token: string | undefined): {
  readonly authorization: undefined;
  readonly apiKey: string | undefined;
} {
  return { authorization: undefined, apiKey: token };
}

function refused(code: ProblemCode, message: string): Verdict {
  return { type: 'refused', code, message };
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** As for all other routes; of the headers of an answer nobody here knows the names. */
function letRead(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', '*');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  response.setHeader('vary', 'origin');
}

function allow(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(204, {
    'access-control-allow-methods': corsMethods,
    'access-control-allow-headers': anyHeadersFor(textOf(request.headers['access-control-request-headers'])),
    'access-control-max-age': '600',
    vary: 'origin, access-control-request-headers',
  });
  response.end();
}

/** What a refusal says beside its words. */
const refusalHeaders: Readonly<Partial<Record<ProblemCode, Readonly<Record<string, string>>>>> = {
  'shutting-down': { 'retry-after': '1' },
};

/** Clients of models read an error with a message in it, whoever's it is. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { code, message }: Extract<Verdict, { type: 'refused' }>,
): void {
  const { status } = newProblem(code, message);
  const body = JSON.stringify({ type: 'error', error: { type: code, message, code } });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...refusalHeaders[code],
    // The body of the request stays unread.
    connection: 'close',
  });
  request.resume();
  response.end(body);
}
