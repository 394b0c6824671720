import { createProxy } from './proxy.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ContextDone } from './answer/attempt.ts';
import type { Proxy } from './proxy.ts';
import type { ProxyOptions, ProxyServices } from './options/proxy-options.ts';

const mount = /^\/proxy\/([^/]+)(?=\/|$)/;

/** A request as a server hands it on: behind its guards, with the caller they found. */
interface GuardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly search: string;
  readonly owner: string;
  readonly onDone?: (done: ContextDone) => void;
}

/** A proxy as routes of a server. */
export interface ProxyRoutes extends AsyncDisposable {
  readonly owns: (path: string) => boolean;
  readonly takesUsualCredentials: (path: string) => boolean;
  readonly nameOf: (path: string) => string;
  readonly handle: (asked: GuardedRequest) => Promise<void>;
  readonly proxy: Proxy;
}

/**
 * Every route at `/proxy/<name>/…`.
 *
 * @param everything the route that has all other paths, too: the server is nothing but a proxy
 */
export function createProxyRoutes(
  services: ProxyServices,
  options: ProxyOptions,
  everything?: string,
): ProxyRoutes {
  const proxy = createProxy(services, options);
  const routeAt = (path: string): string | undefined => mount.exec(path)?.[1] ?? everything;
  const names = new Set(options.routes.map(({ name }) => name));
  const ownKeys = new Set(
    options.routes.filter(({ apiKey }) => apiKey !== undefined).map(({ name }) => name),
  );
  return {
    owns: (path) => routeAt(path) !== undefined && !(everything !== undefined && reserved.has(path)),
    nameOf: (path) => (names.has(routeAt(path) ?? '') ? (routeAt(path) ?? '') : 'none'),
    takesUsualCredentials: (path) => ownKeys.has(routeAt(path) ?? ''),
    handle: ({ path, ...asked }) => {
      const rest = path.replace(mount, '');
      return proxy.handle({ ...asked, routeName: routeAt(path) ?? '', path: rest === '' ? '/' : rest });
    },
    proxy,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** What the server tells of itself, whatever it is in front of. */
const reserved: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics', '/errors']);
