import { callerCheck } from './access-tokens.ts';
import { corsHeadersFor, corsMethods, exposedHeaders, hostCheck, judgeOrigin } from './allowed-origins.ts';
import { readBody, readJson } from './limited-body.ts';
import { RequestRefused } from '../problem-of.ts';
import type { MiddlewareHandler } from 'hono';
import type { ServerContext, ServerEnd, ServerEnv } from '../server-env.ts';
import type { ServerSetup } from '../server-options.ts';

type Guard = MiddlewareHandler<ServerEnv>;

/** What every request passes, in this order, before a route sees it. */
export function guardsOf(setup: ServerSetup, end: ServerEnd): readonly Guard[] {
  return [
    answerHeaders(end.refusing),
    whileRunning(end.refusing),
    knownHost(setup),
    knownOrigin(setup),
    knownCaller(setup),
    plainBody(),
    withReaders(setup, end.stopping),
  ];
}

/** What every answer says of itself, unless its route says something else. */
const usualHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

function answerHeaders(refusing: AbortSignal): Guard {
  return async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(usualHeaders))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    // Whoever would ask again on this connection would find it closed.
    if (refusing.aborted) context.res.headers.set('connection', 'close');
  };
}

/** A server that stops still lives: only `/health` says so. */
function whileRunning(refusing: AbortSignal): Guard {
  return async ({ req }, next) => {
    if (refusing.aborted && req.path !== '/health') {
      await swallowBody(req.raw);
      throw new RequestRefused('shutting-down', 'The server is shutting down. Try again in a moment.', {
        headers: { connection: 'close', 'retry-after': '1' },
      });
    }
    await next();
  };
}

/** Bodies that are taken although nobody wants them. */
const mostSwallowedBytes = 1_000_000;

/** A connection that is closed with bytes unread is reset, and whoever sent them never sees the answer. */
async function swallowBody(request: Request): Promise<void> {
  const length = Number(request.headers.get('content-length') ?? 0);
  if (length > 0 && length <= mostSwallowedBytes) await request.arrayBuffer().catch(() => undefined);
}

function knownHost(setup: ServerSetup): Guard {
  const isAllowed = hostCheck(setup);
  return async (context, next) => {
    if (!isAllowed(context.req.header('host')))
      throw new RequestRefused(
        'forbidden-host',
        'This server is not addressed by this name. `server.allowedHosts` of the configuration adds names.',
        { faults: [{ path: 'header.host', message: 'expected the address the server listens on' }] },
      );
    await next();
  };
}

function knownOrigin({ allowedOrigins }: ServerSetup): Guard {
  return async (context, next) => {
    const verdict = judgeOrigin(pageOf(context), allowedOrigins);
    if (verdict.type === 'foreign')
      throw new RequestRefused(
        'forbidden-origin',
        'A page of another origin asks. `server.allowedOrigins` of the configuration adds origins.',
        { faults: [{ path: 'header.origin', message: 'expected the origin of this server, or none' }] },
      );
    if (verdict.type === 'own') return await next();
    if (context.req.method === 'OPTIONS') {
      context.res = new Response(null, {
        status: 204,
        headers: {
          'access-control-allow-methods': corsMethods,
          'access-control-allow-headers': corsHeadersFor(
            context.req.header('access-control-request-headers'),
          ),
          'access-control-max-age': '600',
          vary: 'access-control-request-headers',
        },
      });
    } else await next();
    context.res.headers.set('access-control-allow-origin', verdict.origin);
    context.res.headers.set('access-control-expose-headers', exposedHeaders);
    context.res.headers.set('cross-origin-resource-policy', 'cross-origin');
    context.res.headers.append('vary', 'origin');
    return undefined;
  };
}

function pageOf(context: ServerContext): Parameters<typeof judgeOrigin>[0] {
  const { req } = context;
  return {
    method: req.method,
    host: req.header('host') ?? '',
    origin: req.header('origin'),
    fetchSite: req.header('sec-fetch-site'),
    fetchMode: req.header('sec-fetch-mode'),
  };
}

/** What anybody may ask who reaches the server: that it is there. */
const openPaths: ReadonlySet<string> = new Set(['/', '/errors', '/health', '/icon.svg', '/ready']);

/** The files of the page hold nothing that is anybody's: it asks for a token itself. */
const isOpen = (path: string): boolean => openPaths.has(path) || path.startsWith('/assets/');

function knownCaller({ tokens }: ServerSetup): Guard {
  const callerOf = callerCheck(tokens);
  return async (context, next) => {
    const caller = callerOf({
      authorization: context.req.header('authorization'),
      apiKey: context.req.header('x-api-key'),
    });
    if (!caller && !isOpen(context.req.path))
      throw new RequestRefused(
        'unauthorized',
        'Show a token in the header: `Authorization: Bearer …`. One in the address is not looked at.',
        { headers: { 'www-authenticate': 'Bearer realm="throughline"' } },
      );
    context.set('caller', caller ?? { owner: '' });
    await next();
  };
}

const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Types that a page of any site may send without asking first: what it sends with them is not what its user wants. */
const simpleTypes = /^(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i;

function plainBody(): Guard {
  return async ({ req }, next) => {
    const type = req.header('content-type');
    const hasBody =
      req.header('transfer-encoding') !== undefined || Number(req.header('content-length') ?? 0) > 0;
    const isSimple = type === undefined ? hasBody : simpleTypes.test(type.trim());
    if (changing.has(req.method) && isSimple)
      throw new RequestRefused(
        'unsupported-media-type',
        'Say what the body is: `Content-Type: application/json`.',
        { faults: [{ path: 'header.content-type', message: 'expected application/json' }] },
      );
    await next();
  };
}

function withReaders({ limits }: ServerSetup, stopping: AbortSignal): Guard {
  return async (context, next) => {
    context.set('stopping', stopping);
    context.set('readBody', () => readBody(context.req.raw, limits));
    context.set('maxBodyBytes', limits.maxBodyBytes);
    context.set('readJson', () => readJson(context.req.raw, limits));
    await next();
  };
}
