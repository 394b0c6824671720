import { createProxyRoutes } from '../src/index.ts';
import { createStrategy } from '@throughline/core';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readOverflow } from '@throughline/drivers';
import { systemClock } from '@throughline/ports';
import type { AddressInfo } from 'node:net';
import type { ProxyOptions, ProxyRoute, ProxyServices } from '../src/index.ts';

export interface StartedProxy extends AsyncDisposable {
  /** Without `/v1`; the one route answers everything. */
  readonly url: string;
  readonly lines: readonly string[];
}

export interface StartOptions extends Partial<Omit<ProxyRoute, 'name' | 'upstream'>> {
  readonly services?: Partial<ProxyServices>;
  readonly options?: Partial<Omit<ProxyOptions, 'routes'>>;
}

/** A proxy with one route, over a socket. */
export async function startProxy(
  upstream: string,
  { services, options, ...route }: StartOptions = {},
): Promise<StartedProxy> {
  const lines: string[] = [];
  const log = {
    info: (_fields: unknown, message: string) => void lines.push(message),
    warn: (fields: unknown, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`),
  };
  const routes = createProxyRoutes(
    { clock: systemClock, readOverflow, log, ...services },
    {
      routes: [{ name: 'it', upstream, policy: { strategy: createStrategy('reactive-overflow') }, ...route }],
      ...options,
    },
    'it',
  );
  const server = createServer((request, response) => {
    // As the server does it: the address is taken as it came.
    const [path = '/', ...rest] = (request.url ?? '/').split('?');
    const search = rest.length > 0 ? `?${rest.join('?')}` : '';
    void routes.handle({ request, response, path, search, owner: '' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await routes[Symbol.asyncDispose]();
    },
  };
}
