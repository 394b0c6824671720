import { contextHandlers } from '../routes/context-handlers.ts';
import { historyHandlers } from '../routes/history-handlers.ts';
import { Hono } from 'hono';
import { messageHandlers } from '../routes/message-handlers.ts';
import { openApiDocument, otherRoutes, proxyRoutes, routes } from '@throughline/protocol';
import { RequestRefused } from '../problem-of.ts';
import { runHandlers } from '../routes/run-handlers.ts';
import { sessionHandlers } from '../routes/session-handlers.ts';
import { describeFaults } from './describe-faults.ts';
import type { Handler, Handlers } from '../routes/handler.ts';
import type { ProxyHandlers } from '../routes/proxy-handlers.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { OpenedServices } from '../settings/open-settings.ts';
import type { Route } from '@throughline/protocol';
import type { ServerContext, ServerEnv } from '../server-env.ts';
import type { SettingsHandlers } from '../routes/settings-handlers.ts';
import type { RequestPart } from './describe-faults.ts';
import type { z } from 'zod';

/** Loaded when somebody asks: most servers have no proxy beside them, and are asked for no settings. */
const late = (load: () => Promise<unknown>): Handler => {
  return async (asked, around) => ((await load()) as Handler)(asked, around);
};

const proxyHandler = (name: keyof ProxyHandlers): Handler =>
  late(async () => (await import('../routes/proxy-handlers.ts')).proxyHandlers[name]);

const settingsHandler = (name: keyof SettingsHandlers): Handler =>
  late(async () => (await import('../routes/settings-handlers.ts')).settingsHandlers[name]);

/** The tables say which of them belongs to which route. */
const lateHandlers = {
  ...Object.fromEntries(
    Object.keys(proxyRoutes).map((name) => [name, proxyHandler(name as keyof ProxyHandlers)]),
  ),
  getSettings: settingsHandler('getSettings'),
  changeSettings: settingsHandler('changeSettings'),
} as unknown as ProxyHandlers & SettingsHandlers;

/** One for each route of the table: a route without one does not compile. */
const handlers: Handlers = {
  ...messageHandlers,
  ...sessionHandlers,
  ...historyHandlers,
  ...runHandlers,
  ...contextHandlers,
  ...lateHandlers,
};

/** The API: each route decodes, calls one function, encodes. */
export function apiRoutes(services: OpenedServices, _: unknown, streams: EventStreams): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const document = openApiDocument('1');
  app.get('/api/openapi.json', (context) => context.json(document));
  const all: readonly (readonly [string, Route])[] = Object.entries(routes);
  for (const [name, route] of all) {
    if (route.isServedApart === true) continue;
    // The table says which handler belongs to which route.
    const handle = handlers[name as keyof Handlers] as unknown as Handler;
    app.on(route.method, route.path, async (context) => {
      const decoded = await decodeRequest(route, context);
      const reply = await handle(decoded, {
        services,
        streams,
        context,
        caller: context.var.caller,
        stopping: context.var.stopping,
        gone: context.req.raw.signal,
      });
      if (reply instanceof Response) return reply;
      return Response.json(reply.body, { status: reply.status });
    });
  }
  return app;
}

/** What a request says, checked by the schemas of its route. @throws {RequestRefused} with every fault */
async function decodeRequest(
  route: Route,
  context: ServerContext,
): Promise<{ readonly params: unknown; readonly query: unknown; readonly body: unknown }> {
  const params = checked(route.params, context.req.param(), 'path');
  const query = checked(route.query, queryOf(context), 'query');
  const body = route.body && checked(route.body, await bodyOf(route, context), 'body');
  return { params, query, body };
}

function checked(schema: z.ZodType | undefined, value: unknown, place: RequestPart): unknown {
  if (!schema) return undefined;
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const faults = describeFaults(read.error.issues, place);
  const [first] = faults;
  const more = faults.length > 1 ? ` And ${faults.length - 1} more.` : '';
  const where = first?.path === '' ? 'the body' : (first?.path ?? '');
  throw new RequestRefused('invalid-request', `${where}: ${first?.message ?? ''}.${more}`, { faults });
}

/** A name that is given twice is a list, which no schema takes. */
function queryOf({ req }: ServerContext): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

async function bodyOf(route: Route, { req, var: { readJson } }: ServerContext): Promise<unknown> {
  const isEmpty = req.header('content-type') === undefined && req.header('transfer-encoding') === undefined;
  if (route.isBodyOptional === true && isEmpty) return {};
  const type = req.header('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new RequestRefused(
      'unsupported-media-type',
      'Say what the body is: `Content-Type: application/json`.',
      {
        faults: [{ path: 'header.content-type', message: 'expected application/json' }],
      },
    );
  return await readJson();
}

/** After everything that is served: what has a path, and not this method. */
export function otherMethods(): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const all: readonly Route[] = Object.values({ ...routes, ...otherRoutes });
  for (const path of new Set(all.map((route) => route.path))) {
    const methods = all.filter((route) => route.path === path).map(({ method }) => method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.all(path, (context) => {
      const { req } = context;
      // Something that is switched off.
      if (methods.some((method) => method === req.method)) return context.notFound();
      throw new RequestRefused('method-not-allowed', `${req.path} takes ${allow}, not ${req.method}.`, {
        headers: { allow },
      });
    });
  }
  return app;
}
